"""`python -m editcast_predictor BUNDLE FOLDER`: a model's graphs as a model repository of Triton.

    FOLDER/editcast-0123456789ab-encode/1/model.onnx
    FOLDER/editcast-0123456789ab-encode/1/weights.safetensors

Triton finds out by itself what graphs of ONNX take and return.
"""

import sys
from pathlib import Path
from shutil import rmtree

from editcast_model.bundle import GRAPHS, WEIGHTS, Bundle
from editcast_model.errors import EditcastError
from editcast_model.plain_files import copy_file
from editcast_predictor.network import served_name


def write_repository(path: Path, folder: Path) -> list[str]:
    """Write the graphs of the bundle in `path` into a folder; return the names of the models.

    Raises:
        BundleError: There is no bundle, or it is damaged.
    """
    bundle = Bundle.open(path)
    names = [served_name(bundle, stage) for stage in GRAPHS]
    for stage, name in zip(GRAPHS, names, strict=True):
        version = folder / name / "1"
        if version.exists():  # the name says what is in it
            continue
        partial = folder / name / "partial"
        rmtree(partial, ignore_errors=True)  # of a run that was killed
        partial.mkdir(parents=True)
        copy_file(bundle.path, f"{stage}.onnx", partial)
        copy_file(bundle.path, WEIGHTS, partial)
        (partial / f"{stage}.onnx").rename(partial / "model.onnx")
        partial.rename(version)
    return names


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: python -m editcast_predictor BUNDLE FOLDER")
    try:
        print(*write_repository(Path(sys.argv[1]), Path(sys.argv[2])), sep="\n")
    except (EditcastError, OSError) as error:
        sys.exit(str(error))
