"""Communicators and their operations."""

from __future__ import annotations

import ctypes
import warnings
from ctypes import byref, c_int, c_void_p
from typing import Any, Callable, NoReturn, Optional

from ._buffers import read
from ._checks import whole
from ._datatypes import BYTES, NAMES, OPERATORS
from ._library import UniqueId, fail, library, must
from .errors import INVALID_ARGUMENT, Error


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
    threads is an hcomm.Error, but for abort(). Signals do not interrupt a call: KeyboardInterrupt is raised when it
    returns, which it does once another rank has left because of it, but never if all of them wait: then a second
    Ctrl-C lets "hcomm run" kill them. A program that is to end at once calls signal.signal(signal.SIGINT,
    signal.SIG_DFL).

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
        raise TypeError("a Communicator is made by Communicator.from_env() or Communicator.from_id()")

    @classmethod
    def from_env(cls) -> Communicator:
        """Joins the job of which the environment tells: that of hcomm run, torchrun, srun or mpirun.

        Returns when all ranks are there. Errors: those of hcommCommInitEnv.
        """
        handle = c_void_p()
        must(library().hcommCommInitEnv(byref(handle)))
        return cls._of(handle)

    @classmethod
    def from_id(cls, nranks: int, id: bytes, rank: int) -> Communicator:
        """Joins as one of nranks ranks, which are processes or threads of one host; each has another rank.

        id is what unique_id() has given to one of them. Returns when all are there. Errors: those of hcommCommInitRank.
        """
        if not isinstance(id, (bytes, bytearray)) or len(id) != ctypes.sizeof(UniqueId):
            raise ValueError(f"from_id: id is {id!r}, and must be the {ctypes.sizeof(UniqueId)} bytes of unique_id()")
        handle = c_void_p()
        nranks, rank = _c_int(nranks, "from_id", "nranks"), _c_int(rank, "from_id", "rank")
        must(library().hcommCommInitRank(byref(handle), nranks, UniqueId.from_buffer_copy(id), rank))
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
                _refuse_pair("all_reduce", datatype, received, "dst", room, f"as many as src, {count}")
        code = self._all_reduce(address, result, count, datatype, _operator(op, "all_reduce"), self._handle, None)
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
                _refuse_pair("broadcast", datatype, received, "dst", room, f"as many as src, {count}")
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
                _refuse_pair("reduce", datatype, received, "dst", room, f"as many as src, {count}")
        op_number = _operator(op, "reduce")
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
            count = self._block("all_gather", "dst", room)
            address, datatype = result + self.rank * count * BYTES[received], received
        else:
            address, count, datatype, _keep2 = read(src, "all_gather", "src", False)
            if received != datatype or room != self.size * count:
                self._refuse_blocks("all_gather", datatype, received, "dst", room, "src", count)
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
            count = self._block("reduce_scatter", "src", total)
            result = address + self.rank * count * BYTES[datatype]
        else:
            result, count, received, _keep2 = read(dst, "reduce_scatter", "dst", True)
            if received != datatype or total != self.size * count:
                self._refuse_blocks("reduce_scatter", datatype, received, "src", total, "dst", count)
        op_number = _operator(op, "reduce_scatter")
        code = self._lib.hcommReduceScatter(address, result, count, datatype, op_number, self._handle, None)
        if code:
            self._fail(code, "reduce_scatter")

    def all_to_all(self, src: Any, dst: Any = None) -> None:
        """Block q of rank r's dst gets block r of rank q's src.

        src: size*n elements.
        dst: size*n elements; None: in place, the result is in src.
        """
        address, total, datatype, _keep = read(src, "all_to_all", "src", dst is None)
        count, result = self._block("all_to_all", "src", total), address
        if dst is not None:
            result, room, received, _keep2 = read(dst, "all_to_all", "dst", True)
            if received != datatype or room != total:
                _refuse_pair("all_to_all", datatype, received, "dst", room, f"as many as src, {total}")
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
                count = self._block("gather", "dst", room)
                address, datatype = result + root * count * BYTES[received], received
            else:
                address, count, datatype, _keep2 = read(src, "gather", "src", False)
                if received != datatype or room != self.size * count:
                    self._refuse_blocks("gather", datatype, received, "dst", room, "src", count)
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
                count = self._block("scatter", "src", total)
                result = address + root * count * BYTES[datatype]
            else:
                result, count, received, _keep2 = read(dst, "scatter", "dst", True)
                if received != datatype or total != self.size * count:
                    self._refuse_blocks("scatter", datatype, received, "src", total, "dst", count)
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

    # -------------------------------------------------------------------------------------------------------- end

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

    def _fail(self, code: int, call: str) -> NoReturn:
        if self._handle is None and code == INVALID_ARGUMENT:
            raise Error(code, f"{call}: this communicator is closed")
        fail(code)

    def _rank(self, number: int, call: str, argument: str) -> int:
        number = whole(number, call, argument)
        if not 0 <= number < self.size:
            raise ValueError(f"{call}: {argument} is {number}, and must be 0 to {self.size - 1}")
        return number

    def _block(self, call: str, argument: str, total: int) -> int:
        count, rest = divmod(total, self.size)
        if rest:
            raise ValueError(
                f"{call}: {argument} has {total} elements, and must have as many for each of the {self.size} ranks"
            )
        return count

    def _refuse_blocks(
        self, call: str, datatype: int, received: int, argument: str, has: int, other: str, count: int
    ) -> NoReturn:
        want = f"size times as many as {other}, {self.size} * {count} = {self.size * count}"
        _refuse_pair(call, datatype, received, argument, has, want)


def _refuse_pair(call: str, datatype: int, received: int, argument: str, has: int, want: str) -> NoReturn:
    if datatype != received:
        raise TypeError(f"{call}: dst has elements of type {NAMES[received]}, and must have src's, {NAMES[datatype]}")
    raise ValueError(f"{call}: {argument} has {has} elements, and must have {want}")


def _operator(op: str, call: str) -> int:
    number = OPERATORS.get(op)
    if number is None:
        raise ValueError(f"{call}: op is {op!r}, and must be one of {', '.join(OPERATORS)}")
    return number


def _c_int(number: int, call: str, argument: str) -> int:
    """ctypes would take a number's last 32 bits."""
    number = whole(number, call, argument)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{call}: {argument} is {number}, and must be less than 2**31")
    return number
