package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * A FUSE file system that tells the attributes of its root, and answers no other request. A process
 * of its own serves it, whose standard input is {@code /dev/fuse}.
 *
 * <pre>
 *   request: length(32) opcode(32) number(64) node(64) uid(32) gid(32) pid(32) unused(32) ...
 *   reply:   length(32) error(32) number(64) ...
 * </pre>
 */
final class SilentFileSystem implements AutoCloseable {
    private static final int REQUEST_MAX = 1 << 20;
    private static final int NUMBER_AT = 8;
    private static final int OPCODE_AT = 4;
    private static final int REPLY_HEAD = 16;
    private static final int GET_ATTRIBUTES = 3;
    private static final int ATTRIBUTES_BYTES = 104;
    private static final int FORGET = 2;
    private static final int INITIALIZE = 26;
    private static final int INITIALIZE_BYTES = 64;
    private static final int INTERRUPT = 36;

    /** Later kernels ask so first. */
    private static final int STATX = 52;

    /** The error that says that a file system does not know a request, ENOSYS. */
    private static final int UNKNOWN = -38;

    private static final int DIRECTORY_MODE = 040755;

    private final Process server;
    private final BufferedReader lines;

    private SilentFileSystem(Process server) {
        this.server = server;
        this.lines = server.inputReader();
    }

    /** Mounts it on a directory, with the rights of this process. */
    static SilentFileSystem mount(Path onto) throws IOException {
        var command =
                new ProcessBuilder(
                        "sh",
                        "-c",
                        "exec \"$@\" 0<>/dev/fuse",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SilentFileSystem.class.getName(),
                        onto.toString());
        var mounted = new SilentFileSystem(command.redirectError(Redirect.INHERIT).start());
        mounted.awaitLines(1);
        return mounted;
    }

    /** Waits until so many further requests have got no answer. */
    void awaitUnanswered(int number) throws IOException {
        awaitLines(number);
    }

    private void awaitLines(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            assertNotNull(lines.readLine(), "the silent file system has ended");
        }
    }

    /** Ends all that hangs. The kernel waits for this before it ends a process that hangs. */
    @Override
    public void close() {
        server.destroyForcibly().onExit().join();
    }

    /** Serves it on a directory, by standard input. Prints a line for each wait of others. */
    public static void main(String[] arguments) throws Exception {
        var options = "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other";
        var mount =
                new ProcessBuilder("mount", "-i", "-t", "fuse", "-o", options, "x", arguments[0]);
        mount.redirectInput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        assertEquals(0, mount.start().waitFor());
        System.out.println("mounted");
        var request = ByteBuffer.allocateDirect(REQUEST_MAX).order(ByteOrder.nativeOrder());
        try (var requests = new FileInputStream(FileDescriptor.in).getChannel();
                var replies = new FileOutputStream(FileDescriptor.in)) {
            while (requests.read(request.clear()) > 0) {
                switch (request.getInt(OPCODE_AT)) {
                    case INITIALIZE -> replies.write(initialized(request));
                    case STATX -> replies.write(unknown(request));
                    case GET_ATTRIBUTES -> replies.write(attributes(request));
                    case FORGET, INTERRUPT -> {
                        // These have no answer.
                    }
                    default -> System.out.println("silent");
                }
            }
        }
    }

    private static byte[] unknown(ByteBuffer request) {
        return reply(request, 0).putInt(Integer.BYTES, UNKNOWN).array();
    }

    private static ByteBuffer reply(ByteBuffer request, int bytes) {
        return ByteBuffer.allocate(REPLY_HEAD + bytes)
                .order(ByteOrder.nativeOrder())
                .putInt(REPLY_HEAD + bytes)
                .putInt(0)
                .putLong(request.getLong(NUMBER_AT));
    }

    private static byte[] initialized(ByteBuffer request) {
        var reply = reply(request, INITIALIZE_BYTES);
        reply.putInt(7).putInt(31).putInt(1 << 16).putInt(0);
        reply.putShort((short) 16).putShort((short) 12).putInt(4096).putInt(1);
        return reply.array();
    }

    /** The attributes are valid for an hour. */
    private static byte[] attributes(ByteBuffer request) {
        var reply = reply(request, ATTRIBUTES_BYTES);
        reply.putLong(3600).putLong(0);
        reply.putLong(1).putLong(0).putLong(0);
        reply.position(reply.position() + 3 * Long.BYTES + 3 * Integer.BYTES);
        reply.putInt(DIRECTORY_MODE).putInt(1);
        return reply.array();
    }
}
