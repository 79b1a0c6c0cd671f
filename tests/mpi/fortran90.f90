! The served collectives from Fortran 90 with "use mpi": arrays of all kinds, parts of arrays, in place, begun and completed
! with other requests, a derived type, and an operator of the program.
!
! flags: -fallow-argument-mismatch -w
! run: 1 %p
! run: 2 %p
! run openmpi: 4 %p
! run mpich: 3 %p
! serves: allreduce reduce bcast allgather alltoall reduce_scatter_block gather scatter barrier
! serves: iallreduce ireduce ibcast iallgather ialltoall ireduce_scatter_block igather iscatter ibarrier
module job
  use mpi
  implicit none
  integer :: me, n, comm, ierr
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good .and. ierr == mpi_success) return
    write (0, *) 'fortran90: rank ', me, ' of ', n, ': ', what
    error stop 1
  end subroutine

  ! Of the ranks' numbers from 0 on.
  integer function total()
    total = n * (n - 1) / 2
  end function

  subroutine longest(a, b, length, datatype)
    integer :: length, datatype, i
    integer :: a(length), b(length)
    do i = 1, length
      if (abs(a(i)) > abs(b(i))) b(i) = a(i)
    end do
  end subroutine
end module

program fortran90
  use job
  implicit none
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, n, ierr)
  call mpi_comm_split(mpi_comm_world, 0, me, comm, ierr)
  call mpi_barrier(comm, ierr)
  call mpi_barrier(comm, ierr)
  call check(.true., 'barrier')
  call reductions
  call movements
  call begun
  call derived
  call own
  call mpi_comm_free(comm, ierr)
  call mpi_finalize(ierr)
  call check(.true., 'finalize')
contains
  subroutine reductions
    integer(8) :: long(10), longs(10)
    real :: r(20), rs(20)
    double precision, allocatable :: d(:, :), ds(:, :)
    complex(kind(1d0)) :: z, zs
    logical :: last, any, all
    integer :: i
    long = [(2_8**33 * i + me, i=1, 10)]
    call mpi_allreduce(long, longs, 10, mpi_integer8, mpi_sum, comm, ierr)
    call check(longs(10) == n * 2_8**33 * 10 + total(), 'integer(8)')
    r = me + 0.25
    call mpi_reduce(r, rs, 20, mpi_real, mpi_max, n - 1, comm, ierr)
    if (me == n - 1) call check(rs(20) == n - 1 + 0.25, 'real')
    allocate (d(100, 50), ds(100, 50))
    d = me + 1
    call mpi_allreduce(d, ds, size(d), mpi_double_precision, mpi_prod, comm, ierr)
    call check(ds(100, 50) == product([(dble(i), i=1, n)]), 'double precision')
    call mpi_allreduce(mpi_in_place, d, size(d), mpi_real8, mpi_sum, comm, ierr)
    call check(d(1, 1) == total() + n .and. d(100, 50) == d(1, 1), 'in place')
    call mpi_allreduce(mpi_in_place, d(:, 50), 100, mpi_real8, mpi_max, comm, ierr)
    call check(d(7, 50) == d(1, 1), 'a column, in place')
    z = cmplx(me, -1, kind(1d0))
    call mpi_allreduce(z, zs, 1, mpi_double_complex, mpi_sum, comm, ierr)
    call check(zs == cmplx(total(), -n, kind(1d0)), 'complex')
    last = me == n - 1
    call mpi_allreduce(last, any, 1, mpi_logical, mpi_lor, comm, ierr)
    call mpi_allreduce(last, all, 1, mpi_logical, mpi_land, comm, ierr)
    call check(any .and. (all .eqv. n == 1), 'logical')
    call mpi_reduce_scatter_block(d, ds, size(d) / 4, mpi_real8, mpi_min, comm, ierr)
    call check(n > 4 .or. ds(1, 1) == d(1, 1), 'reduce_scatter_block')
  end subroutine

  subroutine movements
    integer :: x(n), y(n), i
    real :: pi(3)
    character(12) :: word
    pi = 0
    if (me == 0) pi = [3.0, 3.1, 3.14]
    call mpi_bcast(pi, 3, mpi_real, 0, comm, ierr)
    call check(pi(3) == 3.14, 'bcast')
    word = 'nothing'
    if (me == n - 1) word = 'twelve bytes'
    call mpi_bcast(word, 12, mpi_character, n - 1, comm, ierr)
    call check(word == 'twelve bytes', 'bcast of characters')
    call mpi_allgather(me, 1, mpi_integer, x, 1, mpi_integer, comm, ierr)
    call check(all(x == [(i, i=0, n - 1)]), 'allgather')
    x = 0
    x(me + 1) = me * me
    call mpi_allgather(mpi_in_place, 0, mpi_datatype_null, x, 1, mpi_integer, comm, ierr)
    call check(all(x == [(i * i, i=0, n - 1)]), 'allgather, in place')
    x = [(10 * me + i, i=0, n - 1)]
    call mpi_alltoall(x, 1, mpi_integer, y, 1, mpi_integer, comm, ierr)
    call check(all(y == [(10 * i + me, i=0, n - 1)]), 'alltoall')
    call mpi_alltoall(mpi_in_place, 0, mpi_datatype_null, x, 1, mpi_integer, comm, ierr)
    call check(all(x == y), 'alltoall, in place')
    call mpi_gather(me, 1, mpi_integer, y, 1, mpi_integer, n - 1, comm, ierr)
    if (me == n - 1) call check(all(y == [(i, i=0, n - 1)]), 'gather')
    x = [(7 * i, i=0, n - 1)]
    call mpi_scatter(x, 1, mpi_integer, y, 1, mpi_integer, 0, comm, ierr)
    call check(y(1) == 7 * me, 'scatter')
  end subroutine

  subroutine begun
    integer :: i, k, many, index, q(11), states(mpi_status_size, 11), message, word, indices(11)
    integer, asynchronous :: x(n), y(n, 8), z(1)
    logical :: done
    do i = 1, 20
      x = [(10 * me + k, k=1, n)]
      z = me + i
      word = 100 * me + i
      call mpi_iallreduce(x, y(:, 1), n, mpi_integer, mpi_max, comm, q(1), ierr)
      call mpi_irecv(message, 1, mpi_integer, mod(me + 1, n), i, comm, q(2), ierr)
      call mpi_ireduce(x, y(:, 2), n, mpi_integer, mpi_sum, 0, comm, q(3), ierr)
      call mpi_ibcast(z, 1, mpi_integer, n - 1, comm, q(4), ierr)
      call mpi_iallgather(x, 1, mpi_integer, y(:, 3), 1, mpi_integer, comm, q(5), ierr)
      call mpi_ialltoall(x, 1, mpi_integer, y(:, 4), 1, mpi_integer, comm, q(6), ierr)
      call mpi_ireduce_scatter_block(x, y(:, 5), 1, mpi_integer, mpi_sum, comm, q(7), ierr)
      call mpi_igather(x, 1, mpi_integer, y(:, 6), 1, mpi_integer, 0, comm, q(8), ierr)
      call mpi_iscatter(x, 1, mpi_integer, y(:, 7), 1, mpi_integer, 0, comm, q(9), ierr)
      call mpi_ibarrier(comm, q(10), ierr)
      call mpi_isend(word, 1, mpi_integer, mod(me + n - 1, n), i, comm, q(11), ierr)
      select case (mod(i, 5))
      case (0)
        call mpi_waitall(11, q, mpi_statuses_ignore, ierr)
      case (1)
        call mpi_waitall(11, q, states, ierr)
        call check(states(mpi_tag, 2) == i .and. states(mpi_source, 2) == mod(me + 1, n), 'status')
      case (2)
        do k = 1, 11
          call mpi_waitany(11, q, index, mpi_status_ignore, ierr)
          call check(index >= 1 .and. index <= 11, 'waitany')
        end do
      case (3)
        many = 0
        do while (many < 11)
          call mpi_waitsome(11, q, k, indices, states, ierr)
          many = many + k
        end do
      case default
        do k = 1, 11
          done = .false.
          do while (.not. done)
            call mpi_test(q(k), done, mpi_status_ignore, ierr)
          end do
        end do
      end select
      call check(all(q == mpi_request_null), 'requests')
      call check(message == 100 * mod(me + 1, n) + i, 'message')
      call check(y(n, 1) == 10 * (n - 1) + n, 'iallreduce')
      if (me == 0) call check(y(n, 2) == 10 * total() + n * n, 'ireduce')
      call check(z(1) == n - 1 + i, 'ibcast')
      call check(y(n, 3) == 10 * (n - 1) + 1, 'iallgather')
      call check(y(n, 4) == 10 * (n - 1) + me + 1, 'ialltoall')
      call check(y(1, 5) == n * (me + 1) + 10 * total(), 'ireduce_scatter_block')
      if (me == 0) call check(y(n, 6) == 10 * (n - 1) + 1, 'igather')
      call check(y(1, 7) == me + 1, 'iscatter')
    end do
  end subroutine

  ! Rows of matrices, of which only the root has the type, and the others a column.
  subroutine derived
    integer :: row, i, j
    integer :: a(5, 7), x(7), gathered(7, n)
    a = reshape([((100 * i + j, i=1, 5), j=1, 7)], [5, 7])
    call mpi_type_vector(7, 1, 5, mpi_integer, row, ierr)
    call mpi_type_commit(row, ierr)
    do i = 1, 5
      if (me == 0) then
        call mpi_bcast(a(i, 1), 1, row, 0, comm, ierr)
      else
        call mpi_bcast(x, 7, mpi_integer, 0, comm, ierr)
        call check(all(x == a(i, :)), 'row')
      end if
      call mpi_allgather(a(i, 1), 1, row, gathered, 7, mpi_integer, comm, ierr)
      call check(all(gathered(:, n) == a(i, :)), 'rows')
    end do
    call mpi_type_free(row, ierr)
  end subroutine

  subroutine own
    integer :: op, x, y
    call mpi_op_create(longest, .true., op, ierr)
    x = -me - 1
    call mpi_allreduce(x, y, 1, mpi_integer, op, comm, ierr)
    call check(y == -n, 'operator')
    call mpi_op_free(op, ierr)
  end subroutine
end program
