"""Communicators and their operations."""

from __future__ import annotations

import ctypes
import warnings
from ctypes import byref, c_int, c_void_p
from typing import Any, Callable, Iterable, NoReturn, Optional

from ._buffers import read
from ._checks import block, operator_number, refuse_blocks, refuse_pair, whole, whole_int32
from ._config import config
from ._datatypes import BYTES
from ._library import UniqueId, last_error, library, must
from .errors import INVALID_ARGUMENT, Error
from .memory import Registration


def unique_id() -> bytes:
    """128 bytes for Communicator.from_id, made by one rank and brought to the others by the program's own means.

    They hold a secret: who knows them can join. They serve for one communicator.
    """
    made = UniqueId()
    must(library().hcommGetUniqueId(byref(made)))
    return bytes(made)


class Communicator:
    """One rank's place among the others. All ranks make the same collective calls in the same order.

        with hcomm.Communicator.from_env() as comm:     # started by: hcomm run -n 4 python3 program.py
            comm.all_reduce(gradient)                   # every rank now has the sum of all

    Buffers are numpy arrays, torch CPU tensors, and objects with the buffer protocol: array.array, bytearray,
    memoryview, ctypes arrays. They must be C-contiguous, in native byte order, and of a type that hcomm has: int8 to
    int64, uint8 to uint64, float16 to float64, and where ml_dtypes or torch have them bfloat16, float8_e4m3fn and
    float8_e5m2. Shapes are not looked at: "n elements" is n in all dimensions together. Nothing is copied. Autograd
    does not see what is written to a tensor. src and dst have the same type; they overlap only in place.

    A TypeError or ValueError says which argument breaks which rule: nothing was done, and the communicator stays
    usable. Other errors are the library's; hcomm.Error says what can be done after them.

    Calls release the GIL. Different communicators may be used by different threads at once; one communicator by two
    threads is an hcomm.Error, but for abort(), revoke(), failed_ranks() and error. Signals do not interrupt a call:
    KeyboardInterrupt is raised when it returns, which it does once another rank has left because of it, but never if
    all of them wait: then a second Ctrl-C lets "hcomm run" kill them. A program that is to end at once calls
    signal.signal(signal.SIGINT, signal.SIG_DFL).

    A process that was forked after its parent had made a communicator, an id or an hcomm.empty gets an hcomm.Error
    from every call, and the parent is not disturbed; multiprocessing works with its method "spawn".
    """

    rank: int
    """This rank's number, from 0 on."""
    size: int
    """How many ranks there are."""

    _lib: ctypes.CDLL
    _all_reduce: Callable[..., int]
    _handle: Optional[int] = None

    def __init__(self) -> None:
        raise TypeError("a Communicator is made by Communicator.from_env(), Communicator.from_id(), or of another one")

    @classmethod
    def from_env(cls) -> Communicator:
        """Joins the job of which the environment tells: that of hcomm run, torchrun, srun or mpirun.

        Returns when all ranks are there. Errors: those of hcommCommInitEnv. HCOMM_TIMEOUT and HCOMM_DETERMINISTIC are
        for it what timeout and deterministic are elsewhere.
        """
        handle = c_void_p()
        must(library().hcommCommInitEnv(byref(handle)))
        return cls._of(handle)

    @classmethod
    def from_id(
        cls,
        nranks: int,
        id: bytes,
        rank: int,
        *,
        timeout: Optional[float] = None,
        deterministic: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> Communicator:
        """Joins as one of nranks ranks, which are processes or threads of one host; each has another rank.

        id:            what unique_id() has given to one of them.
        timeout:       after so many seconds a wait for other ranks is an error; 0: never. None: as HCOMM_TIMEOUT says.
        deterministic: whether reductions are made in the order of ranks, whatever the size; the same on all ranks.
                       None: as HCOMM_DETERMINISTIC says.
        name:          for people, in warnings and errors; up to 127 bytes.
        Returns when all are there. Errors: those of hcommCommInitRank.
        """
        if not isinstance(id, (bytes, bytearray)) or len(id) != ctypes.sizeof(UniqueId):
            raise ValueError(f"from_id: id is {id!r}, and must be the {ctypes.sizeof(UniqueId)} bytes of unique_id()")
        handle = c_void_p()
        nranks, rank = whole_int32(nranks, "from_id", "nranks"), whole_int32(rank, "from_id", "rank")
        made = config("from_id", timeout, deterministic, name)
        id_struct = UniqueId.from_buffer_copy(id)
        must(library().hcommCommInitRankConfig(byref(handle), nranks, id_struct, rank, byref(made)))
        return cls._of(handle)

    @classmethod
    def _of(cls, handle: c_void_p) -> Communicator:
        self = cls.__new__(cls)
        self._lib = library()
        self._handle = handle.value
        number = c_int()
        must(self._lib.hcommCommUserRank(handle, byref(number)))
        self.rank = number.value
        must(self._lib.hcommCommCount(handle, byref(number)))
        self.size = number.value
        self._all_reduce = self._lib.hcommAllReduce  # the shortest way for the most frequent call
        return self

    # ------------------------------------------------------------------------------------------------ collectives

    def all_reduce(self, src: Any, dst: Any = None, op: str = "sum") -> None:
        """Every rank's dst gets op over all ranks' src.

        src: n elements, the same n and type on all ranks.
        dst: n elements; None: in place, the result is in src.
        op:  sum, prod, max, min, avg; for integers also and, or, xor, logical_and, logical_or, logical_xor.
        """
        if dst is None:
            address, count, datatype, _keep = read(src, "all_reduce", "src", True)
            result = address
        else:
            address, count, datatype, _keep = read(src, "all_reduce", "src", False)
            result, room, received, _keep2 = read(dst, "all_reduce", "dst", True)
            if received != datatype or room != count:
                refuse_pair("all_reduce", datatype, received, "dst", room, f"as many as src, {count}")
        code = self._all_reduce(address, result, count, datatype, operator_number(op, "all_reduce"), self._handle, None)
        if code:
            self._fail(code, "all_reduce")

    def broadcast(self, src: Any, dst: Any = None, root: int = 0) -> None:
        """Every rank's dst gets rank root's src.

        src: n elements on root; on other ranks not looked at if there is a dst.
        dst: n elements on every rank; None: in place, the elements are in src, on all ranks.
        """
        root = self._rank(root, "broadcast", "root")
        if dst is None:
            result, count, datatype, _keep = read(src, "broadcast", "src", self.rank != root)
            address = result
        elif self.rank != root:
            result, count, datatype, _keep = read(dst, "broadcast", "dst", True)
            address = 0
        else:
            address, count, datatype, _keep = read(src, "broadcast", "src", False)
            result, room, received, _keep2 = read(dst, "broadcast", "dst", True)
            if received != datatype or room != count:
                refuse_pair("broadcast", datatype, received, "dst", room, f"as many as src, {count}")
        code = self._lib.hcommBroadcast(address, result, count, datatype, root, self._handle, None)
        if code:
            self._fail(code, "broadcast")

    def reduce(self, src: Any, dst: Any = None, op: str = "sum", root: int = 0) -> None:
        """Rank root's dst gets op over all ranks' src.

        src: n elements.
        dst: n elements on root; None: in place, the result is in root's src. Not looked at on other ranks.
        op:  as for all_reduce.
        """
        root = self._rank(root, "reduce", "root")
        in_place = self.rank == root and dst is None
        address, count, datatype, _keep = read(src, "reduce", "src", in_place)
        result = address if in_place else 0
        if self.rank == root and dst is not None:
            result, room, received, _keep2 = read(dst, "reduce", "dst", True)
            if received != datatype or room != count:
                refuse_pair("reduce", datatype, received, "dst", room, f"as many as src, {count}")
        op_number = operator_number(op, "reduce")
        code = self._lib.hcommReduce(address, result, count, datatype, op_number, root, self._handle, None)
        if code:
            self._fail(code, "reduce")

    def all_gather(self, src: Any, dst: Any) -> None:
        """Block r of every rank's dst gets rank r's src.

        src: n elements; None: in place, they are in this rank's block of dst.
        dst: size*n elements.
        """
        result, room, received, _keep = read(dst, "all_gather", "dst", True)
        if src is None:
            count = block("all_gather", "dst", room, self.size)
            address, datatype = result + self.rank * count * BYTES[received], received
        else:
            address, count, datatype, _keep2 = read(src, "all_gather", "src", False)
            if received != datatype or room != self.size * count:
                refuse_blocks("all_gather", datatype, received, "dst", room, "src", count, self.size)
        code = self._lib.hcommAllGather(address, result, count, datatype, self._handle, None)
        if code:
            self._fail(code, "all_gather")

    def reduce_scatter(self, src: Any, dst: Any = None, op: str = "sum") -> None:
        """Rank r's dst gets op over block r of all ranks' src.

        src: size*n elements.
        dst: n elements; None: in place, the result is in this rank's block of src, whose others stay as they are.
        op:  as for all_reduce.
        """
        address, total, datatype, _keep = read(src, "reduce_scatter", "src", dst is None)
        if dst is None:
            count = block("reduce_scatter", "src", total, self.size)
            result = address + self.rank * count * BYTES[datatype]
        else:
            result, count, received, _keep2 = read(dst, "reduce_scatter", "dst", True)
            if received != datatype or total != self.size * count:
                refuse_blocks("reduce_scatter", datatype, received, "src", total, "dst", count, self.size)
        op_number = operator_number(op, "reduce_scatter")
        code = self._lib.hcommReduceScatter(address, result, count, datatype, op_number, self._handle, None)
        if code:
            self._fail(code, "reduce_scatter")

    def all_to_all(self, src: Any, dst: Any = None) -> None:
        """Block q of rank r's dst gets block r of rank q's src.

        src: size*n elements.
        dst: size*n elements; None: in place, the result is in src.
        """
        address, total, datatype, _keep = read(src, "all_to_all", "src", dst is None)
        count, result = block("all_to_all", "src", total, self.size), address
        if dst is not None:
            result, room, received, _keep2 = read(dst, "all_to_all", "dst", True)
            if received != datatype or room != total:
                refuse_pair("all_to_all", datatype, received, "dst", room, f"as many as src, {total}")
        code = self._lib.hcommAlltoAll(address, result, count, datatype, self._handle, None)
        if code:
            self._fail(code, "all_to_all")

    def gather(self, src: Any, dst: Any = None, root: int = 0) -> None:
        """Block r of rank root's dst gets rank r's src.

        src: n elements; None on root: in place, they are in root's block of dst.
        dst: size*n elements on root. Not looked at on other ranks.
        """
        root = self._rank(root, "gather", "root")
        if self.rank != root:
            address, count, datatype, _keep = read(src, "gather", "src", False)
            result = 0
        else:
            result, room, received, _keep = read(dst, "gather", "dst", True)
            if src is None:
                count = block("gather", "dst", room, self.size)
                address, datatype = result + root * count * BYTES[received], received
            else:
                address, count, datatype, _keep2 = read(src, "gather", "src", False)
                if received != datatype or room != self.size * count:
                    refuse_blocks("gather", datatype, received, "dst", room, "src", count, self.size)
        code = self._lib.hcommGather(address, result, count, datatype, root, self._handle, None)
        if code:
            self._fail(code, "gather")

    def scatter(self, src: Any, dst: Any = None, root: int = 0) -> None:
        """Rank r's dst gets block r of rank root's src.

        src: size*n elements on root. Not looked at on other ranks.
        dst: n elements; None on root: in place, its block stays in src.
        """
        root = self._rank(root, "scatter", "root")
        if self.rank != root:
            result, count, datatype, _keep = read(dst, "scatter", "dst", True)
            address = 0
        else:
            address, total, datatype, _keep = read(src, "scatter", "src", dst is None)
            if dst is None:
                count = block("scatter", "src", total, self.size)
                result = address + root * count * BYTES[datatype]
            else:
                result, count, received, _keep2 = read(dst, "scatter", "dst", True)
                if received != datatype or total != self.size * count:
                    refuse_blocks("scatter", datatype, received, "src", total, "dst", count, self.size)
        code = self._lib.hcommScatter(address, result, count, datatype, root, self._handle, None)
        if code:
            self._fail(code, "scatter")

    def barrier(self) -> None:
        """Returns when every rank has called it."""
        code = self._lib.hcommBarrier(self._handle, None)
        if code:
            self._fail(code, "barrier")

    # --------------------------------------------------------------------------------------------------- messages

    def send(self, src: Any, peer: int) -> None:
        """Sends src to rank peer, which receives it by recv with as many elements of the same type.

        Returns when src may be used again; above 2240 bytes that is when the peer receives it. Two ranks that send to
        each other before they receive may wait for ever.
        """
        peer = self._rank(peer, "send", "peer")
        address, count, datatype, _keep = read(src, "send", "src", False)
        code = self._lib.hcommSend(address, count, datatype, peer, self._handle, None)
        if code:
            self._fail(code, "send")

    def recv(self, dst: Any, peer: int) -> None:
        """Receives in dst the next message from rank peer; messages of one rank to another keep their order."""
        peer = self._rank(peer, "recv", "peer")
        address, count, datatype, _keep = read(dst, "recv", "dst", True)
        code = self._lib.hcommRecv(address, count, datatype, peer, self._handle, None)
        if code:
            self._fail(code, "recv")

    # ---------------------------------------------------------------------------------------- other communicators

    def split(
        self,
        color: Optional[int],
        key: int = 0,
        *,
        timeout: Optional[float] = None,
        deterministic: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> Optional[Communicator]:
        """Makes one communicator for each color, of the ranks that give it. All ranks call it, as a collective.

        color: 0 or more; None: no communicator for this rank, and None is returned.
        key:   the new ranks are in the order of their keys, those with equal keys in the order that they have here.
        timeout, deterministic, name: as for from_id; None: as it is here.
        The new communicator lives by itself, and is to be closed by itself. Errors: those of hcommCommSplit.
        """
        number = -1 if color is None else whole_int32(color, "split", "color")
        if color is not None and number < 0:
            raise ValueError(f"split: color is {number}, and must be 0 or more, or None")
        made, new = config("split", timeout, deterministic, name), c_void_p()
        key = whole_int32(key, "split", "key")
        code = self._lib.hcommCommSplit(self._handle, number, key, byref(new), byref(made))
        if code:
            self._fail(code, "split")
        return None if color is None else self._of(new)

    def dup(self) -> Communicator:
        """Makes a communicator of the same ranks, whose calls are apart from those here. All ranks call it."""
        new = c_void_p()
        code = self._lib.hcommCommDup(self._handle, byref(new))
        if code:
            self._fail(code, "dup")
        return self._of(new)

    # ------------------------------------------------------------------------------------------- after an error

    def shrink(
        self,
        exclude: Optional[Iterable[int]] = None,
        *,
        timeout: Optional[float] = None,
        deterministic: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> Communicator:
        """Makes a communicator without some ranks, the others keeping their order. It works after an error, too.

        exclude: ranks, without this one; the same on all that remain, which all call it. None: failed_ranks(), and who
                 fails while it is being made.
        timeout, deterministic, name: as for split.
        This communicator stays as it is, to be closed. Errors: those of hcommCommShrink.
        """
        if exclude is not None:
            exclude = self._ranks(exclude, "shrink", "exclude")
        made, new = config("shrink", timeout, deterministic, name), c_void_p()
        while True:
            out = self.failed_ranks() if exclude is None else exclude
            ranks = (c_int * len(out))(*out)
            code = self._lib.hcommCommShrink(self._handle, ranks, len(out), byref(new), byref(made), 0)
            if not code:
                return self._of(new)
            error = self._error(code, "shrink")
            if exclude is not None or self.failed_ranks() == out:
                raise error

    def failed_ranks(self) -> list[int]:
        """The ranks without which this communicator can be shrunk: who has died, left, not come in time or aborted.

        In ascending order. It does not wait. After an error all ranks have its culprit in their lists; one that fails
        later may be in one rank's list earlier than in another's. Errors: those of hcommCommGetFailedRanks.
        """
        ranks, count = (c_int * self.size)(), c_int(self.size)
        code = self._lib.hcommCommGetFailedRanks(self._handle, ranks, byref(count))
        if code:
            self._fail(code, "failed_ranks")
        return ranks[: count.value]

    @property
    def error(self) -> Optional[Error]:
        """The error because of which this communicator is of no use any more; None: there is none.

        It is given here and not raised. It does not wait and may be asked from any thread.
        """
        state = c_int()
        code = self._lib.hcommCommGetAsyncError(self._handle, byref(state)) or state.value
        return self._error(code, "error") if code else None

    def revoke(self) -> None:
        """Ends every call on the communicator, on all ranks, with an hcomm.Error that names this rank.

        shrink() can then make another. May be called from any thread; returns at once.
        """
        code = self._lib.hcommCommRevoke(self._handle, 0)
        if code:
            self._fail(code, "revoke")

    # ----------------------------------------------------------------------------------------------------- memory

    def register(self, array: Any) -> Registration:
        """Lets the other ranks read the whole pages of an array directly, as they do memory from hcomm.empty.

            with comm.register(gradient):
                ...                                     # large collectives on it are faster

        array: what may be dst elsewhere. Until the registration is closed it must not be resized, freed by other means
               or mapped otherwise, and a forked child shares it. No thread may touch it while it is being registered
               or closed: each copies it once, which pays for arrays that are used many times.
        What cannot be shared, such as an array of less than a page, is sent like any other. Errors: those of
        hcommCommRegister.
        """
        address, count, datatype, keep = read(array, "register", "array", True)
        comm, size, made = self._handle, count * BYTES[datatype], c_void_p()
        code = self._lib.hcommCommRegister(comm, address, size, byref(made))
        if code:
            self._fail(code, "register")
        return Registration._of(comm, made.value, size, keep)

    # -------------------------------------------------------------------------------------------------------- end

    def finalize(self) -> None:
        """Waits until all ranks have come here: then none finds that another has left early. Only close() remains."""
        code = self._lib.hcommCommFinalize(self._handle)
        if code:
            self._fail(code, "finalize")

    def abort(self) -> None:
        """Ends every call on the communicator, on all ranks, with an hcomm.Error, and closes it here.

        May be called from any thread while others wait in a call. Does nothing if it is closed.
        """
        handle, self._handle = self._handle, None
        if handle is not None:
            must(self._lib.hcommCommAbort(handle))

    def close(self) -> None:
        """This rank leaves. It does not wait for the others: who still needs this rank gets an error that names it.

        Does nothing if it is closed. Errors: hcommInvalidUsage (another thread is in a call).
        """
        if self._handle is not None:
            must(self._lib.hcommCommDestroy(self._handle))
            self._handle = None

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self.close()
        except Error:
            if kind is None:
                raise  # otherwise the error that came first tells more

    def __del__(self, warn: Any = warnings.warn) -> None:  # at exit, modules may be gone
        if self._handle is not None:
            warn(f"{self!r} was not closed", ResourceWarning, source=self)
            self._lib.hcommCommDestroy(self._handle)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<hcomm.Communicator, closed>"
        return f"<hcomm.Communicator, rank {self.rank} of {self.size}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Communicator belongs to its process, and cannot be pickled or copied")

    # --------------------------------------------------------------------------------------------------- refusals

    def _error(self, code: int, call: str) -> Error:
        if self._handle is None and code == INVALID_ARGUMENT:
            return Error(code, f"{call}: this communicator is closed")
        return last_error(code)

    def _fail(self, code: int, call: str) -> NoReturn:
        raise self._error(code, call)

    def _rank(self, number: int, call: str, argument: str) -> int:
        number = whole(number, call, argument)
        if not 0 <= number < self.size:
            raise ValueError(f"{call}: {argument} is {number}, and must be 0 to {self.size - 1}")
        return number

    def _ranks(self, numbers: Any, call: str, argument: str) -> list[int]:
        try:
            given = list(numbers)
        except TypeError:
            raise TypeError(f"{call}: {argument} is {numbers!r}, and must be a list of ranks") from None
        return [self._rank(number, call, argument) for number in given]
