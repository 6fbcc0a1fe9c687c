package io.github.rpcrdma4j.nfs.server;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** File operations of other local processes that Java lacks. */
final class LocalCalls {
    static final int FIFO = 0010000;
    static final int CHARACTER_DEVICE = 0020000;
    static final int BLOCK_DEVICE = 0060000;
    static final int SOCKET = 0140000;

    private static final int AT_FDCWD = -100;
    private static final int RENAME_EXCHANGE = 2;

    private LocalCalls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle find(String name, FunctionDescriptor signature) {
        var linker = Linker.nativeLinker();
        var address =
                linker.defaultLookup()
                        .find(name)
                        .orElseThrow(() -> new TestAbortedException("there is no " + name));
        return linker.downcallHandle(address, signature);
    }

    private static final class Exchange {
        static final MethodHandle CALL =
                find(
                        "renameat2",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT));
    }

    private static final class MakeNode {
        static final MethodHandle CALL =
                find(
                        "mknod",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG));
    }

    private static final class Own {
        static final MethodHandle USER =
                find("geteuid", FunctionDescriptor.of(ValueLayout.JAVA_INT));
    }

    /** Exchanges two names in one step; returns false if one of them does not exist. */
    static boolean exchange(Path one, Path other) {
        try (var arena = Arena.ofConfined()) {
            return (int)
                            Exchange.CALL.invokeExact(
                                    AT_FDCWD,
                                    arena.allocateFrom(one.toString()),
                                    AT_FDCWD,
                                    arena.allocateFrom(other.toString()),
                                    RENAME_EXCHANGE)
                    == 0;
        } catch (Throwable broken) {
            throw new AssertionError(broken);
        }
    }

    /**
     * Makes a file that is not a regular one; returns false if this process may not.
     *
     * @param mode the mode, including the type
     */
    static boolean makeNode(Path file, int mode, long device) {
        try (var arena = Arena.ofConfined()) {
            return (int)
                            MakeNode.CALL.invokeExact(
                                    arena.allocateFrom(file.toString()), mode, device)
                    == 0;
        } catch (Throwable broken) {
            throw new AssertionError(broken);
        }
    }

    /** Returns the effective user id of this process. */
    static int user() {
        try {
            return (int) Own.USER.invokeExact();
        } catch (Throwable broken) {
            throw new AssertionError(broken);
        }
    }
}
