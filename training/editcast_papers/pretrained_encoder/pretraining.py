"""Pre-training of the encoder: subwords are masked, and guessed (Devlin et al. 2019).

B  batch      S  subwords of a segment
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.nn.functional import cross_entropy

from editcast_model.errors import ReproductionError
from editcast_model.private_files import atomic_write, private_folder
from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.pretrained_encoder.corpus import read_corpus
from editcast_papers.pretrained_encoder.encoder import DROPOUT, LAYERS, Encoder, Guesser
from editcast_papers.pretrained_encoder.text import Text, read_text
from editcast_papers.subwords import PAD
from editcast_papers.training import Config, Tell, order_by_length
from editcast_training.fit.trainer import pick_device

_SHARE = 0.15  # of the subwords that are guessed
_MASKED, _OTHER = (
    0.8,
    0.9,
)  # up to there a subword is masked, up to there another one; else it stays
_AT_ONCE = 256


@dataclass(frozen=True)
class Pretraining(OfTraining):
    """One pre-training.

    The score on dev is the percent of subwords held out that are guessed.

    Attributes:
        text: The digest of what was read.
        repositories: The projects read.
        segments: How many there are to train on.
        steps: Steps trained.
        test_accuracy: The best of these.
    """

    kind: ClassVar[str] = "pretraining"
    text: str
    repositories: Sequence[str]
    segments: int
    steps: int
    test_accuracy: float


def masked(pieces: Tensor, mask: int, draw: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """Mask subwords (B, S); returns what is to be read, and which are to be guessed, bool."""
    chosen = (torch.rand(pieces.shape, generator=draw) < _SHARE) & (pieces != PAD)
    how = torch.rand(pieces.shape, generator=draw)
    other = torch.randint(PAD + 1, mask, pieces.shape, generator=draw)
    changed = torch.where(how < _MASKED, mask, torch.where(how < _OTHER, other, pieces))
    return torch.where(chosen, changed, pieces), chosen


@dataclass(frozen=True)
class PretrainingJob:
    """A pre-training that fine-tuned and frozen encoders need; `weights` is what it leaves.

    Attributes:
        data: The folder of Django.
        repositories: The list of the projects.
        mirror: Their folder.
        seed: As in `Pretraining`.
        config: As in `Pretraining`.
        scratch: The folder of the checkpoints of all trainings.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    data: Path
    repositories: Path
    mirror: Path
    seed: int
    config: Config
    scratch: Path
    device: str = "cpu"

    @property
    def name(self) -> str:
        """For people."""
        return f"pre-training, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = ("pre-training", self.seed, *asdict(self.config).values())
        return folder_of(self.scratch, *said)

    @property
    def weights(self) -> Path:
        """Find the encoder that it leaves."""
        return self.folder.with_suffix(".safetensors")

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Pretraining:
        """Train, and leave the encoder in `weights`.

        Raises:
            ReproductionError: What is to be read is not there.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        device = pick_device(self.device)
        corpus = read_corpus(self.data)
        text = read_text(self.repositories, self.mirror, corpus)
        torch.manual_seed(self.seed)
        network = Guesser(len(corpus.subwords), self.config.hidden).to(device)
        lengths = (text.train != PAD).sum(1).tolist()

        def loss(step: int) -> Tensor:
            places = order_by_length(lengths, self.seed, self.config.batch, step)
            pieces = _trimmed(text.train[places])
            read, chosen = (one.to(device) for one in masked(pieces, network.encoder.mask, None))
            return cross_entropy(network(read, chosen), pieces.to(device)[chosen])

        progress = train_job(self, network, self.config, loss, lambda: guessed(network, text), tell)
        weights = {name: one.cpu() for name, one in network.encoder.state_dict().items()}
        private_folder(self.weights.parent)
        with atomic_write(self.weights) as partial:
            partial.write_bytes(save(weights, {"text": text.identity}))
        return Pretraining(
            seed=self.seed,
            config={**self.config.to_json(), "layers": LAYERS, "dropout": DROPOUT},
            text=text.identity,
            repositories=text.repositories,
            segments=len(text.train),
            steps=progress.step,
            **progress.in_line(network.encoder, device),
            test_accuracy=round(progress.best, 2),
        )


def load_encoder(encoder: Encoder, path: Path) -> str:
    """Give an encoder the weights that a pre-training left; returns the digest of its text.

    Raises:
        ReproductionError: They are damaged, or of another network.
    """
    try:
        with safe_open(path, "pt") as file:
            encoder.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
            return str((file.metadata() or {})["text"])
    except (SafetensorError, OSError, RuntimeError, KeyError) as error:
        raise ReproductionError(
            f"The encoder {path} cannot be read ({error}); remove it to pre-train again."
        ) from error


def guessed(network: Guesser, text: Text) -> float:
    """Return the percent of masked subwords held out that are guessed; the same ones each time."""
    network.eval()
    device, draw = network.bias.device, torch.Generator().manual_seed(0)
    right = total = 0
    with torch.no_grad():
        for table in text.out.split(_AT_ONCE):
            pieces = _trimmed(table)
            read, chosen = masked(pieces, network.encoder.mask, draw)
            scores = network(read.to(device), chosen.to(device))
            right += int((scores.argmax(-1).cpu() == pieces[chosen]).sum())
            total += int(chosen.sum())
    return 100 * right / max(total, 1)


def _trimmed(table: Tensor) -> Tensor:
    """Return segments (B, 64) as ids, without what none of them has."""
    return table[:, : int((table != PAD).sum(1).max())].long()
