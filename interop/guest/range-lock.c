/*
 * range-lock try|wait FILE START LENGTH PROGRAM [ARGUMENT...]
 *
 * Takes a write lock of fcntl on a range of a file and then becomes PROGRAM, which holds the lock until it ends. LENGTH 0
 * is up to the end of the file. "try" ends with 1 if there is a conflict; other failures end with 2. The guest has no
 * such program; it is compiled without a C library, which a host with gcc need not have.
 */
#define SYS_OPEN 2
#define SYS_EXECVE 59
#define SYS_EXIT 60
#define SYS_FCNTL 72
#define READ_AND_WRITE 2
#define SET_LOCK 6
#define SET_LOCK_WAIT 7
#define TRY_AGAIN (-11)
#define ACCESS_DENIED (-13)

struct lock {
  short type;   /* F_WRLCK */
  short whence; /* SEEK_SET */
  long start;
  long length;
  int pid;
};

static long call(long number, long one, long two, long three) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(one), "S"(two), "d"(three) : "rcx", "r11", "memory");
  return result;
}

static long number(const char *digits) {
  long value = 0;
  while (*digits) value = value * 10 + (*digits++ - '0');
  return value;
}

__attribute__((used)) static void start(long *stack) {
  long count = stack[0];
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + count + 1;
  int failure = 2;
  if (count >= 6) {
    struct lock lock = {1, 0, number(arguments[3]), number(arguments[4]), 0};
    int command = arguments[1][0] == 'w' ? SET_LOCK_WAIT : SET_LOCK;
    long file = call(SYS_OPEN, (long)arguments[2], READ_AND_WRITE, 0);
    if (file >= 0) {
      long result = call(SYS_FCNTL, file, command, (long)&lock);
      if (result == 0) {
        call(SYS_EXECVE, (long)arguments[5], (long)(arguments + 5), (long)environment);
      } else if (result == TRY_AGAIN || result == ACCESS_DENIED) {
        failure = 1;
      }
    }
  }
  call(SYS_EXIT, failure, 0, 0);
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
