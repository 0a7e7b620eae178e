import numpy as np
import numpy.typing as npt

def read(
    data: bytes,
    kind: npt.NDArray[np.uint16],
    tag: npt.NDArray[np.uint16],
    parent: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    start: npt.NDArray[np.int32],
    stop: npt.NDArray[np.int32],
    block: npt.NDArray[np.int32],
    chars: npt.NDArray[np.int32],
    children: npt.NDArray[np.int32],
    content: npt.NDArray[np.uint64],
    path: npt.NDArray[np.uint64],
    rows: npt.NDArray[np.int32],
    marks: npt.NDArray[np.uint16],
    h1: int,
    vocabulary: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    shift: int,
    multiplier: int,
    table: npt.NDArray[np.float32],
    groups: npt.NDArray[np.int32],
    slots: npt.NDArray[np.uint64],
    words: npt.NDArray[np.int32],
    seen: npt.NDArray[np.uint8],
) -> None: ...
def read_words(
    data: bytes,
    start: npt.NDArray[np.int32],
    elements: npt.NDArray[np.int32],
    rows: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint64],
) -> int: ...
