import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Raises a number in a file of a server under a lock, again and again, for dev/recovery. Arguments: the URL of the file, the version of NFS, a seed.
 * Prints a line for each attempt: {@code raised N} if the server said that N was written, {@code perhaps N: WHY} if it may have been, and {@code
 * refused: WHY} if it was not. Ends when its input ends.
 */
final class RaiseNumber {
    private static final int BYTES = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    /** How long a number is read and not yet written: time for what may happen to the lock. */
    private static final int HOLD_MILLIS = 400;

    /** How long it rests when the server cannot be reached. */
    private static final int REST_MILLIS = 100;

    /** Is at 0 when the input has ended. */
    private static final CountDownLatch INPUT = new CountDownLatch(1);

    private final NfsUrl place;
    private final ClientOptions options;
    private final Random chance;

    private RaiseNumber(String url, String version, long seed) {
        place = NfsUrl.parse(url);
        options =
                new ClientOptions(Duration.ofSeconds(10), PATIENCE, 8, 16)
                        .withVersion(NfsVersion.valueOf("VERSION_" + version.replace('.', '_')))
                        .withCaller(ProcessCredential.read());
        chance = new Random(seed);
    }

    public static void main(String[] words) throws Exception {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                System.in.transferTo(System.err);
                            } catch (IOException _) {
                                // It has ended, too.
                            }
                            INPUT.countDown();
                        });
        var raising = new RaiseNumber(words[0], words[1], Long.parseLong(words[2]));
        while (!isEnded()) {
            raising.raiseWhileConnected();
        }
    }

    private static boolean isEnded() throws InterruptedException {
        return isEndedWithin(0);
    }

    private static boolean isEndedWithin(int millis) throws InterruptedException {
        return INPUT.await(millis, TimeUnit.MILLISECONDS);
    }

    private void raiseWhileConnected() throws InterruptedException {
        var connector =
                RpcRdmaClient.builder()
                        .credential(options.caller())
                        .bindings(options.bindings())
                        .connectTimeout(options.timeout())
                        .connector(new InetSocketAddress(place.host(), place.port()));
        try (var mount = NfsMount.of(NfsClient.connect(place.server(), connector, connector, options), place.path())) {
            while (!isEnded()) {
                raise(mount);
            }
        } catch (IOException refused) {
            say("refused: " + refused.getMessage());
            isEndedWithin(REST_MILLIS);
        }
    }

    private void raise(NfsMount mount) throws IOException, InterruptedException {
        var service = mount.service();
        var number = mount.resolve(place.path()).handle();
        try (var file = service.open(number, OpenFile.Mode.BOTH, "cannot open");
                var arena = Arena.ofShared()) {
            if (!service.lock(file, LockRange.ALL, true, PATIENCE, "cannot lock")) {
                say("refused: others kept the lock");
                return;
            }
            var bytes = arena.allocate(BYTES);
            if (service.read(file, 0, bytes, "cannot read") != BYTES) {
                throw new IOException("the number is short");
            }
            long raised = 1 + Long.parseLong(new String(bytes.toArray(ValueLayout.JAVA_BYTE), US_ASCII).strip());
            isEndedWithin(chance.nextInt(HOLD_MILLIS));
            bytes.copyFrom(MemorySegment.ofArray(String.format("%" + (BYTES - 1) + "d%n", raised).getBytes(US_ASCII)));
            write(mount, file, bytes, raised);
            service.unlock(file, LockRange.ALL, "cannot unlock");
        }
    }

    private static void write(NfsMount mount, OpenFile file, MemorySegment bytes, long raised)
            throws IOException, InterruptedException {
        try {
            var written = mount.service().write(file, 0, Stability.FILE_SYNC, bytes, "cannot write");
            say((written.count() == BYTES ? "raised " : "perhaps ") + raised);
        } catch (IOException unknown) {
            say("perhaps " + raised + ": " + unknown.getMessage());
            throw unknown;
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
