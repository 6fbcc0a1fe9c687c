package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function with at most five arguments, which are integers or pointers.
 *
 * <p>All calls pass five registers of 64 bits. The calling conventions of x86-64 and AArch64 let a
 * function ignore the arguments that it does not have, and the upper bits of narrow ones.
 *
 * @param handle the handle; null if the library does not exist
 * @param isCommand whether the function sends commands to a device, which the kernel does not take
 *     from every thread
 */
record Function(MethodHandle handle, boolean isCommand) {
    static final FunctionDescriptor SIGNATURE =
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG);

    /** Calls a function that returns a pointer. Returns the negative error number if it is null. */
    long pointer(long a, long b, long c, long d, long e) {
        return isCommand
                ? CommandThread.run(() -> pointerHere(a, b, c, d, e))
                : pointerHere(a, b, c, d, e);
    }

    private long pointerHere(long a, long b, long c, long d, long e) {
        try (var arena = Arena.ofConfined()) {
            var state = Libraries.state(arena);
            long result = (long) handle.invokeExact(state, a, b, c, d, e);
            // No function of the libraries fails with a null pointer and error 0.
            return result != 0 ? result : -Math.max(1, Libraries.errno(state));
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    /** Calls a function that returns an int of 0 or more, or -1 and sets the error number. */
    int number(long a, long b, long c) {
        try (var arena = Arena.ofConfined()) {
            var state = Libraries.state(arena);
            int result = (int) (long) handle.invokeExact(state, a, b, c, 0L, 0L);
            return result != -1 ? result : -Libraries.errno(state);
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    /**
     * Calls a function that returns 0 if it succeeds. Returns the error number, which such
     * functions return themselves, negated, or set.
     */
    int status(long a, long b, long c, long d) {
        return isCommand
                ? (int) CommandThread.run(() -> statusHere(a, b, c, d))
                : statusHere(a, b, c, d);
    }

    private int statusHere(long a, long b, long c, long d) {
        try (var arena = Arena.ofConfined()) {
            var state = Libraries.state(arena);
            int result = (int) (long) handle.invokeExact(state, a, b, c, d, 0L);
            return result == -1 ? Math.max(1, Libraries.errno(state)) : Math.abs(result);
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    int status(long a, long b, long c) {
        return status(a, b, c, 0);
    }

    int status(long a, long b) {
        return status(a, b, 0, 0);
    }

    int status(long a) {
        return status(a, 0, 0, 0);
    }
}
