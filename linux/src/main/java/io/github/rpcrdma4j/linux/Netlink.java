package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One question to the kernel and its first answer, by netlink(7). */
final class Netlink {
    /** The bytes of struct nlmsghdr. */
    static final int HEADER_BYTES = 16;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final short NLM_F_REQUEST = 1;
    private static final int TYPE_AT = 4;
    private static final int FLAGS_AT = 6;

    private Netlink() {}

    /** Returns the memory of a question of so many bytes, whose header is written. */
    static MemorySegment question(Scratch scratch, short type, int bytes) {
        var out = scratch.memory.asSlice(Scratch.TEXT, bytes).fill((byte) 0);
        out.set(ValueLayout.JAVA_INT, 0, bytes);
        out.set(ValueLayout.JAVA_SHORT, TYPE_AT, type);
        out.set(ValueLayout.JAVA_SHORT, FLAGS_AT, NLM_F_REQUEST);
        return out;
    }

    /**
     * Asks a question.
     *
     * @param protocol of netlink
     * @param question from {@link #question}
     * @param type the type of the answer
     * @param answerBytes the least bytes of the answer
     * @return the answer, in the memory of the question; null if the kernel has none of that type
     */
    static MemorySegment ask(
            Scratch scratch, int protocol, MemorySegment question, short type, int answerBytes) {
        int flags = SOCK_RAW | Kernel.O_CLOEXEC | Kernel.O_NONBLOCK;
        int socket = call(scratch, CallNumber.SOCKET, AF_NETLINK, flags, protocol);
        if (socket < 0) {
            return null;
        }
        try {
            long text = scratch.address + Scratch.TEXT;
            long length = question.byteSize();
            if (call(scratch, CallNumber.SENDTO, socket, text, length, 0, 0, 0) != length) {
                return null;
            }
            // The kernel has answered when the question is sent.
            int got = call(scratch, CallNumber.READ, socket, text, Scratch.TEXT_MAX);
            if (got < answerBytes) {
                return null;
            }
            var answer = scratch.memory.asSlice(Scratch.TEXT, got);
            return answer.get(ValueLayout.JAVA_SHORT, TYPE_AT) == type ? answer : null;
        } finally {
            Kernel.close(scratch, socket);
        }
    }
}
