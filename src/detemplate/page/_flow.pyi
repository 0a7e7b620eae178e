import numpy as np
import numpy.typing as npt

def lay_out(
    data: bytes,
    kind: npt.NDArray[np.uint16],
    tag: npt.NDArray[np.uint16],
    parent: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    start: npt.NDArray[np.int32],
    stop: npt.NDArray[np.int32],
    chars: npt.NDArray[np.int32],
    displays: npt.NDArray[np.uint8],
    traits: npt.NDArray[np.uint8],
    styles: npt.NDArray[np.float64],
    width: float,
    work: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None: ...
