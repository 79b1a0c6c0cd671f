! The served collectives from Fortran 2008 with "use mpi_f08": handles are types, ierror may be left out.
!
! flags: -fallow-argument-mismatch -w
! run: 1 %p
! run: 2 %p
! run openmpi: 4 %p
! run mpich: 3 %p
! serves: allreduce reduce bcast allgather alltoall reduce_scatter_block gather scatter barrier
! serves: iallreduce ireduce ibcast iallgather ialltoall ireduce_scatter_block igather iscatter ibarrier
module job
  use mpi_f08
  implicit none
  integer :: me, n
  type(mpi_comm) :: comm
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    write (0, *) 'fortran08: rank ', me, ' of ', n, ': ', what
    error stop 1
  end subroutine

  integer function total()
    total = n * (n - 1) / 2
  end function

  subroutine longest(a, b, length, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: a, b
    integer :: length
    type(mpi_datatype) :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(a, x, [length])
    call c_f_pointer(b, y, [length])
    where (abs(x) > abs(y)) y = x
  end subroutine
end module

program fortran08
  use job
  implicit none
  integer :: level
  call mpi_init_thread(mpi_thread_funneled, level)
  call mpi_comm_rank(mpi_comm_world, me)
  call mpi_comm_size(mpi_comm_world, n)
  call mpi_comm_dup(mpi_comm_world, comm)
  call mpi_barrier(comm)
  call mpi_barrier(comm)
  call reductions
  call movements
  call begun
  call derived
  call own
  call errors
  call mpi_comm_free(comm)
  call mpi_finalize()
contains
  subroutine reductions
    integer :: k(50), ks(50), i
    real(8) :: d(3000), ds(3000)
    complex :: c, cs
    logical :: last, any, all
    k = [(me + i, i=1, 50)]
    call mpi_allreduce(k, ks, 50, mpi_integer, mpi_sum, comm)
    call check(ks(50) == 50 * n + total(), 'integer')
    call mpi_allreduce(mpi_in_place, k, 50, mpi_integer, mpi_max, comm)
    call check(k(50) == 50 + n - 1, 'in place')
    d = me + 0.5d0
    call mpi_reduce(d, ds, 3000, mpi_double_precision, mpi_sum, n - 1, comm)
    if (me == n - 1) call check(ds(3000) == total() + 0.5d0 * n, 'double precision')
    if (me == 0) then
      call mpi_reduce(mpi_in_place, d, 3000, mpi_real8, mpi_max, 0, comm)
      call check(d(1) == n - 0.5d0, 'reduce, in place')
    else
      call mpi_reduce(d, ds, 3000, mpi_real8, mpi_max, 0, comm)
    end if
    c = cmplx(1, me)
    call mpi_allreduce(c, cs, 1, mpi_complex, mpi_sum, comm)
    call check(cs == cmplx(n, total()), 'complex')
    last = me == n - 1
    call mpi_allreduce(last, any, 1, mpi_logical, mpi_lor, comm)
    call mpi_allreduce(last, all, 1, mpi_logical, mpi_land, comm)
    call check(any .and. (all .eqv. n == 1), 'logical')
    k = me
    call mpi_reduce_scatter_block(k, ks, 10, mpi_integer, mpi_sum, comm)
    call check(ks(10) == total(), 'reduce_scatter_block')
  end subroutine

  subroutine movements
    integer :: x(n), y(n), i
    x(1) = me
    call mpi_bcast(x, 1, mpi_integer, n - 1, comm)
    call check(x(1) == n - 1, 'bcast')
    call mpi_allgather(me, 1, mpi_integer, x, 1, mpi_integer, comm)
    call check(all(x == [(i, i=0, n - 1)]), 'allgather')
    x = [(10 * me + i, i=0, n - 1)]
    call mpi_alltoall(x, 1, mpi_integer, y, 1, mpi_integer, comm)
    call check(all(y == [(10 * i + me, i=0, n - 1)]), 'alltoall')
    call mpi_alltoall(mpi_in_place, 0, mpi_datatype_null, x, 1, mpi_integer, comm)
    call check(all(x == y), 'alltoall, in place')
    call mpi_gather(me, 1, mpi_integer, y, 1, mpi_integer, n - 1, comm)
    if (me == n - 1) call check(all(y == [(i, i=0, n - 1)]), 'gather')
    x = [(7 * i, i=0, n - 1)]
    if (me == 0) then
      call mpi_scatter(x, 1, mpi_integer, mpi_in_place, 1, mpi_integer, 0, comm)
    else
      call mpi_scatter(x, 1, mpi_integer, y, 1, mpi_integer, 0, comm)
      call check(y(1) == 7 * me, 'scatter')
    end if
  end subroutine

  subroutine begun
    type(mpi_request) :: q(11)
    type(mpi_status) :: states(11)
    integer :: i, k, message, word, count
    integer, asynchronous :: x(n), y(n, 7), z(1)
    logical :: done
    do i = 1, 20
      x = [(10 * me + k, k=1, n)]
      z = me + i
      word = 100 * me + i
      call mpi_irecv(message, 1, mpi_integer, mod(me + 1, n), i, comm, q(1))
      call mpi_iallreduce(x, y(:, 1), n, mpi_integer, mpi_max, comm, q(2))
      call mpi_ireduce(x, y(:, 2), n, mpi_integer, mpi_sum, 0, comm, q(3))
      call mpi_ibcast(z, 1, mpi_integer, n - 1, comm, q(4))
      call mpi_iallgather(x, 1, mpi_integer, y(:, 3), 1, mpi_integer, comm, q(5))
      call mpi_ialltoall(x, 1, mpi_integer, y(:, 4), 1, mpi_integer, comm, q(6))
      call mpi_ireduce_scatter_block(x, y(:, 5), 1, mpi_integer, mpi_sum, comm, q(7))
      call mpi_igather(x, 1, mpi_integer, y(:, 6), 1, mpi_integer, 0, comm, q(8))
      call mpi_iscatter(x, 1, mpi_integer, y(:, 7), 1, mpi_integer, 0, comm, q(9))
      call mpi_ibarrier(comm, q(10))
      call mpi_isend(word, 1, mpi_integer, mod(me + n - 1, n), i, comm, q(11))
      if (mod(i, 3) == 0) then
        call mpi_waitall(11, q, mpi_statuses_ignore)
      else if (mod(i, 3) == 1) then
        call mpi_waitall(11, q, states)
        call mpi_get_count(states(1), mpi_integer, count)
        call check(states(1)%mpi_tag == i .and. states(1)%mpi_source == mod(me + 1, n) .and. count == 1, 'status')
      else
        done = .false.
        do while (.not. done)
          call mpi_testall(11, q, done, states)
        end do
      end if
      do k = 1, 11
        call check(q(k) == mpi_request_null, 'request')
      end do
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

  subroutine derived
    type(mpi_datatype) :: row
    integer :: a(5, 7), x(7), i, j
    a = reshape([((100 * i + j, i=1, 5), j=1, 7)], [5, 7])
    call mpi_type_vector(7, 1, 5, mpi_integer, row)
    call mpi_type_commit(row)
    do i = 1, 5
      if (me == 0) then
        call mpi_bcast(a(i, 1), 1, row, 0, comm)
      else
        call mpi_bcast(x, 7, mpi_integer, 0, comm)
        call check(all(x == a(i, :)), 'row')
      end if
    end do
    call mpi_type_free(row)
  end subroutine

  subroutine own
    type(mpi_op) :: op
    integer :: x, y
    call mpi_op_create(longest, .true., op)
    x = -me - 1
    call mpi_allreduce(x, y, 1, mpi_integer, op, comm)
    call check(y == -n, 'operator')
    call mpi_op_free(op)
  end subroutine

  ! An error is a result, if the program wants that.
  subroutine errors
    integer :: x, ierr
    x = me
    call mpi_comm_set_errhandler(comm, mpi_errors_return)
    call mpi_bcast(x, 1, mpi_integer, n, comm, ierr)
    call check(ierr /= mpi_success, 'an error')
    call mpi_allreduce(mpi_in_place, x, 1, mpi_integer, mpi_max, comm, ierr)
    call check(ierr == mpi_success .and. x == n - 1, 'after an error')
  end subroutine
end program
