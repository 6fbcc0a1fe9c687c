package io.github.rpcrdma4j.linux;

/**
 * The numbers of system calls on x86-64 and on AArch64. Numbers from 424 on are equal on all
 * architectures.
 */
enum CallNumber {
    CAPGET(125, 90),
    CAPSET(126, 91),
    CLOSE(3, 57),
    COPY_FILE_RANGE(326, 285),
    FACCESSAT2(439, 439),
    FADVISE64(221, 223),
    FALLOCATE(285, 47),
    FCHMODAT(268, 53),
    FCHMODAT2(452, 452),
    FCHOWNAT(260, 54),
    FCNTL(72, 25),
    FDATASYNC(75, 83),
    FSTATFS(138, 44),
    FSYNC(74, 82),
    FTRUNCATE(77, 46),
    GETDENTS64(217, 61),
    GETGROUPS(115, 158),
    GETTID(186, 178),
    GETXATTR(191, 8),
    INOTIFY_ADD_WATCH(254, 27),
    INOTIFY_INIT1(294, 26),
    INOTIFY_RM_WATCH(255, 28),
    IOCTL(16, 29),
    LINKAT(265, 37),
    LISTXATTR(194, 11),
    LSEEK(8, 62),
    MKDIRAT(258, 34),
    MKNODAT(259, 33),
    MOUNT_SETATTR(442, 442),
    NAME_TO_HANDLE_AT(303, 264),
    OPENAT(257, 56),
    OPENAT2(437, 437),
    OPEN_BY_HANDLE_AT(304, 265),
    OPEN_TREE(428, 428),
    PREAD64(17, 67),
    PREADV2(327, 286),
    PRLIMIT64(302, 261),
    PWRITE64(18, 68),
    READ(0, 63),
    READLINKAT(267, 78),
    REMOVEXATTR(197, 14),
    RENAMEAT2(316, 276),
    RT_SIGACTION(13, 134),
    RT_SIGPROCMASK(14, 135),
    RT_SIGTIMEDWAIT(128, 137),
    SENDTO(44, 206),
    SETFSGID(123, 152),
    SETFSUID(122, 151),
    SETGROUPS(116, 159),
    SETXATTR(188, 5),
    SOCKET(41, 198),
    STATX(332, 291),
    SYMLINKAT(266, 36),
    SYNCFS(306, 267),
    UMASK(95, 166),
    UNLINKAT(263, 35),
    UNSHARE(272, 97),
    UTIMENSAT(280, 88);

    /** The number on this machine; -1 on an unknown machine. */
    final int number;

    CallNumber(int x86, int aarch64) {
        number =
                switch (Machine.OF) {
                    case X86_64 -> x86;
                    case AARCH64 -> aarch64;
                    case UNKNOWN -> -1;
                };
    }

    /** The processor architecture, with its values of architecture-dependent flags. */
    enum Machine {
        X86_64(0200000, 0400000),
        AARCH64(040000, 0100000),
        UNKNOWN(0, 0);

        /** The architecture of this process. */
        static final Machine OF = ofThisProcess();

        final int directoryFlag;
        final int noFollowFlag;

        Machine(int directoryFlag, int noFollowFlag) {
            this.directoryFlag = directoryFlag;
            this.noFollowFlag = noFollowFlag;
        }

        private static Machine ofThisProcess() {
            if (!"Linux".equals(System.getProperty("os.name"))) {
                return UNKNOWN;
            }
            return switch (System.getProperty("os.arch")) {
                case "amd64", "x86_64" -> X86_64;
                case "aarch64" -> AARCH64;
                default -> UNKNOWN;
            };
        }
    }
}
