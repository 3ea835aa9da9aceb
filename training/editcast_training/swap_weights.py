"""Other weights under the graphs of a bundle.

The graphs refer to their weights by place in `weights.safetensors`, and a network of the same
architecture has the same places. So a fine-tuned model needs no export, which takes minutes.
"""

import shutil
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from editcast_model.bundle import FORMAT, GRAPHS, WEIGHTS, Bundle, write_card, write_config
from editcast_model.errors import BundleError
from editcast_model.export import check_parity
from editcast_model.networks.model import EditNetwork
from editcast_model.private_files import fresh_folder


def refit(base: Bundle, network: EditNetwork, card: dict[str, Any], folder: Path) -> Bundle:
    """Write a bundle of a network whose architecture is that of `base`.

    Args:
        base: The bundle whose graphs and tokenizer are taken.
        network: Its fine-tuned network.
        card: What `card.json` is to say.
        folder: Where; a bundle that is there is replaced.

    Raises:
        BundleError: The architectures differ, the graphs are of an earlier format, or with these
            weights they compute something else than torch does.
    """
    if base.network != network.config or base.format != FORMAT:
        raise BundleError(f"The network is not of the architecture of {base.name}; export it.")
    network = network.cpu().float().eval()
    with fresh_folder(folder) as fresh:
        for precision in base.precisions:
            place = fresh / "half" if precision == "float16" else fresh
            place.mkdir(exist_ok=True)
            for name in GRAPHS:
                shutil.copyfile(base.graph(name, precision), place / f"{name}.onnx")
            half = precision == "float16"
            weights = {
                name: (value.half() if half and value.is_floating_point() else value).contiguous()
                for name, value in network.state_dict().items()
            }
            save_file(weights, place / WEIGHTS)
        shutil.copyfile(base.path / "tokenizer.json", fresh / "tokenizer.json")
        check_parity(network, fresh)
        write_card(fresh, card)
        write_config(fresh, network.config.to_json(), base.precisions)
    return Bundle.open(folder)
