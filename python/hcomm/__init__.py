"""hcomm: processes compute together. One call, and each gets the sum (or the maximum, ...) of what all have.

    import hcomm, numpy

    with hcomm.Communicator.from_env() as comm:
        x = numpy.full(1000, comm.rank, dtype="float32")
        comm.all_reduce(x)

    hcomm run -n 4 python3 program.py

It needs libhcomm.so.1, which it looks for in this order: one that the process has loaded already; HCOMM_LIBRARY, a
path; lib/ where the package is in lib/python3/dist-packages; build/lib of a source tree; the system's loader.
"""

from ._library import library_version
from ._version import __version__
from .communicator import Communicator, unique_id
from .errors import Error
from .memory import Registration, empty

__all__ = ["Communicator", "Error", "Registration", "__version__", "empty", "library_version", "unique_id"]
