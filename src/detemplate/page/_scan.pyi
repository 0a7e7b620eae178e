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
