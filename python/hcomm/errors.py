"""What an hcomm call that fails raises."""

from __future__ import annotations

INVALID_ARGUMENT = 4

_NAMES = {
    1: "hcommUnhandledCudaError",
    2: "hcommSystemError",
    3: "hcommInternalError",
    INVALID_ARGUMENT: "hcommInvalidArgument",
    5: "hcommInvalidUsage",
    6: "hcommRemoteError",
    7: "hcommInProgress",
    8: "hcommTimeout",
    64: "hcommMismatch",
}


class Error(Exception):
    """An error of the library; str(error) is the sentence that hcommGetLastError has for it.

    hcommInvalidArgument and hcommInvalidUsage are found before anything is sent: nothing was done, and the communicator
    stays usable. After any other, all its ranks get the same error from every later call; close() still works, and
    shrink() makes a communicator of those that remain.
    """

    # args hold both, so that an error can be pickled: multiprocessing brings it from a worker to its parent.
    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)

    @property
    def code(self) -> int:
        """The hcommResult_t."""
        return int(self.args[0])

    @property
    def name(self) -> str:
        """The code's name in hcomm.h, such as "hcommMismatch"."""
        return _NAMES.get(self.code, f"hcommResult_t {self.code}")

    def __str__(self) -> str:
        return str(self.args[1])
