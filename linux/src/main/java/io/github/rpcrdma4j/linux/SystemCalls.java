package io.github.rpcrdma4j.linux;

import io.github.rpcrdma4j.linux.CallNumber.Machine;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Makes Linux system calls by their numbers, through {@code syscall()} of the C library.
 * Thread-safe.
 */
public final class SystemCalls {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** A constant, so that the JIT compiler turns calls into direct native calls. */
    private static final MethodHandle SYSCALL = find();

    private SystemCalls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle find() {
        if (Machine.OF == Machine.UNKNOWN
                || !SystemCalls.class.getModule().isNativeAccessEnabled()) {
            return null;
        }
        // long syscall(long number, ...)
        var one = ValueLayout.JAVA_LONG;
        var signature = FunctionDescriptor.of(one, one, one, one, one, one, one, one);
        var linker = Linker.nativeLinker();
        return linker.defaultLookup()
                .find("syscall")
                .map(
                        address ->
                                linker.downcallHandle(
                                        address,
                                        signature,
                                        Linker.Option.firstVariadicArg(1),
                                        Linker.Option.captureCallState("errno")))
                .orElse(null);
    }

    /** Returns why this process cannot make system calls; empty if it can. */
    public static Optional<String> missing() {
        if (Machine.OF == Machine.UNKNOWN) {
            return Optional.of("system calls are supported only on Linux on x86-64 and AArch64");
        }
        if (!SystemCalls.class.getModule().isNativeAccessEnabled()) {
            return Optional.of("native access is not enabled for " + SystemCalls.class.getModule());
        }
        return SYSCALL == null ? Optional.of("the C library has no syscall()") : Optional.empty();
    }

    static long call(
            Scratch scratch, CallNumber number, long a, long b, long c, long d, long e, long f) {
        while (true) {
            long result = callOnce(scratch, number, a, b, c, d, e, f);
            if (result != -Errno.INTR) {
                return result;
            }
        }
    }

    /** Makes a call and does not repeat it when a signal interrupts it. */
    static int callOnce(Scratch scratch, CallNumber number, long a) {
        return (int) callOnce(scratch, number, a, 0, 0, 0, 0, 0);
    }

    private static long callOnce(
            Scratch scratch, CallNumber number, long a, long b, long c, long d, long e, long f) {
        try {
            long result =
                    (long)
                            SYSCALL.invokeExact(
                                    scratch.memory, (long) number.number, a, b, c, d, e, f);
            return result != -1 ? result : -(int) ERRNO.get(scratch.memory, 0L);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError("native code throws nothing", impossible);
        }
    }

    static int call(Scratch scratch, CallNumber number, long a, long b, long c, long d, long e) {
        return (int) call(scratch, number, a, b, c, d, e, 0);
    }

    static int call(Scratch scratch, CallNumber number, long a, long b, long c, long d) {
        return (int) call(scratch, number, a, b, c, d, 0, 0);
    }

    static int call(Scratch scratch, CallNumber number, long a, long b, long c) {
        return (int) call(scratch, number, a, b, c, 0, 0, 0);
    }

    static int call(Scratch scratch, CallNumber number, long a, long b) {
        return (int) call(scratch, number, a, b, 0, 0, 0, 0);
    }

    static int call(Scratch scratch, CallNumber number, long a) {
        return (int) call(scratch, number, a, 0, 0, 0, 0, 0);
    }
}
