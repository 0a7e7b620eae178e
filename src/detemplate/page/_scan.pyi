import numpy as np
import numpy.typing as npt

def scan(
    data: bytes,
    slot_keys: npt.NDArray[np.uint64],
    slot_numbers: npt.NDArray[np.uint16],
    flags_of: npt.NDArray[np.uint16],
    small: npt.NDArray[np.uint16],
    ints: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint64],
) -> tuple[int, int]: ...
def loose_hashes(
    data: bytes,
    kind: npt.NDArray[np.uint16],
    tag: npt.NDArray[np.uint16],
    parent: npt.NDArray[np.int32],
    start: npt.NDArray[np.int32],
    text: npt.NDArray[np.uint64],
    out: npt.NDArray[np.uint64],
) -> None: ...
def inherited(parent: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> None: ...
