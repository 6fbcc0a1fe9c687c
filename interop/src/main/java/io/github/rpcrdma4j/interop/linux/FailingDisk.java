package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import io.github.rpcrdma4j.interop.storage.StorageClient;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Tests our server in a guest, on a disk that fails for a while to write the blocks of one file.
 * COMMIT must not succeed for lost data. Data written again has to be on the disk once that works.
 *
 * <p>Tests: {@code interop/storage}.
 *
 * @param out receives a line for each check
 */
record FailingDisk(
        RunDirectories directories, Path logs, Path jdk, long seed, Consumer<String> out) {
    private static final String SCENARIOS = "storage/";
    private static final int BYTES = 4 << 20;
    private static final int COMMITS = 3;
    private static final int TRIES = 3;

    /**
     * The limit of open files. The server keeps an eighth of it for data, so other files evict the
     * first one.
     */
    private static final int DESCRIPTORS = 256;

    private static final int OTHERS = 80;

    /** The file, or the event between the last WRITE and the first COMMIT. */
    private enum FailureCase {
        NOTHING("a file that is written over"),
        PREALLOCATED("a file with blocks and no data"),
        EVICTED("a descriptor that other files threw out"),
        IDLE("a descriptor that was idle"),
        OTHER_PROCESS("another process received the error first");

        private final String words;

        FailureCase(String words) {
            this.words = words;
        }

        private String file() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Makes all checks.
     *
     * @return whether every check passed
     */
    boolean run(Path disk) throws IOException, InterruptedException {
        try (var guest = ServingGuest.boot(directories, logs, jdk, List.of(disk))) {
            guest.script(SCENARIOS + "failing-disk.sh", FailureCase.PREALLOCATED.file());
            var words = List.of("/disk/export=/export", "--allow", "/export=any,no_root_squash");
            try (var client =
                    new StorageClient(guest.serve(directories, words, DESCRIPTORS), "/export")) {
                boolean passed = true;
                for (var each : FailureCase.values()) {
                    passed &= run(guest, client, each);
                }
                return passed;
            }
        }
    }

    private boolean run(ServingGuest guest, StorageClient client, FailureCase failure)
            throws IOException, InterruptedException {
        var random = new Random(seed + failure.ordinal());
        var old = new byte[BYTES];
        var content = new byte[BYTES];
        random.nextBytes(content);
        var file = client.create(failure.file());
        if (failure != FailureCase.PREALLOCATED) {
            random.nextBytes(old);
            client.write(file, old, Stability.UNSTABLE);
            client.commit(file);
        }
        guest.script(SCENARIOS + "fail.sh", failure.file());
        var written = client.write(file, content, Stability.UNSTABLE);
        var provoked = provoke(guest, client, failure);
        var answers = new StringBuilder();
        boolean falseSuccess = false;
        for (int each = 0; each < COMMITS; each++) {
            var committed = client.commit(file);
            boolean isCommitted = StorageClient.isCommitted(written, committed);
            falseSuccess |= isCommitted;
            answers.append(
                    committed.isEmpty() ? "failed, " : isCommitted ? "OK, " : "new verifier, ");
        }
        guest.script(SCENARIOS + "mend.sh");
        guest.script(SCENARIOS + "forget.sh");
        boolean lost = !Arrays.equals(content, client.read(file, BYTES));
        boolean passed =
                report(
                        lost && !falseSuccess && provoked,
                        "%s: COMMIT: %sdata %s"
                                .formatted(failure.words, answers, lost ? "lost" : "there"));
        return passed & writesAgain(guest, client, failure, file, content);
    }

    /**
     * Writes the data again, as a client does, until a COMMIT returns the verifier of its WRITEs.
     */
    private boolean writesAgain(
            ServingGuest guest,
            StorageClient client,
            FailureCase failure,
            FileHandle file,
            byte[] content)
            throws IOException, InterruptedException {
        boolean committed = false;
        int tries = 0;
        while (!committed && tries < TRIES) {
            var written = client.write(file, content, Stability.UNSTABLE);
            committed = StorageClient.isCommitted(written, client.commit(file));
            tries++;
        }
        guest.script(SCENARIOS + "forget.sh");
        boolean same = Arrays.equals(content, client.read(file, BYTES));
        return report(
                committed && same,
                "%s: written again: %s after %d, %s"
                        .formatted(
                                failure.words,
                                committed ? "committed" : "not committed",
                                tries,
                                same ? "equal" : "NOT EQUAL"));
    }

    private boolean provoke(ServingGuest guest, StorageClient client, FailureCase failure)
            throws IOException, InterruptedException {
        return switch (failure) {
            case NOTHING, PREALLOCATED -> true;
            case EVICTED -> {
                for (int number = 0; number < OTHERS; number++) {
                    client.write(client.create("other" + number), new byte[1], Stability.UNSTABLE);
                }
                yield true;
            }
            case IDLE -> guest.script(SCENARIOS + "wait.sh").isEmpty();
            case OTHER_PROCESS ->
                    guest.script(SCENARIOS + "sync.sh", failure.file()).equals(List.of("failed"));
        };
    }

    private boolean report(boolean passed, String what) {
        out.accept((passed ? "PASS " : "FAIL ") + what);
        return passed;
    }
}
