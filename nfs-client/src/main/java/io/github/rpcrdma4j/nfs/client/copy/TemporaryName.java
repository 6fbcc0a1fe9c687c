package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file until it is complete. It identifies the process that made the file, so that a
 * later run can find what an earlier one left behind. Deterministic except for a random number.
 *
 * <pre>
 *   .NAME.rpcrdma-SCOPE-PROCESS-START-CHANCE.part
 *
 *   NAME     of the complete file, shortened if it is too long
 *   SCOPE, PROCESS, START   see {@link RunningProcess}; numbers of base 36
 *   CHANCE   random, so that names of one process differ; a number of base 36
 * </pre>
 *
 * <p>The name of a copy that can be resumed ends with {@code -SOURCE-DONE.part}: the numbers of its
 * {@link Checkpoint}.
 */
public final class TemporaryName {
    private static final int BASE = 36;
    private static final String START = ".";
    private static final String MARK = ".rpcrdma-";
    private static final String END = ".part";
    private static final Pattern FORM =
            Pattern.compile(
                    "\\..*\\.rpcrdma-([0-9a-z]{1,13})-([0-9a-z]{1,13})-([0-9a-z]{1,13})"
                            + "-[0-9a-z]{1,13}(?:-([0-9a-z]{1,13})-([0-9a-z]{1,13}))?\\.part",
                    Pattern.DOTALL);
    private static final SecureRandom CHANCE = new SecureRandom();
    private static final int CHANCE_BITS = 50;
    private static final int CONTINUATION_MASK = 0xc0;
    private static final int CONTINUATION = 0x80;

    private TemporaryName() {}

    /** Returns a temporary name for a file, which no other file has. */
    static FileName of(FileName name, RunningProcess maker) {
        return of(name, maker, "");
    }

    /** Returns a temporary name for a copy that can be resumed. */
    static FileName of(FileName name, RunningProcess maker, Checkpoint checkpoint) {
        return of(
                name,
                maker,
                "-"
                        + Long.toString(checkpoint.source(), BASE)
                        + "-"
                        + Long.toString(checkpoint.done(), BASE));
    }

    private static FileName of(FileName name, RunningProcess maker, String checkpoint) {
        long chance = CHANCE.nextLong() >>> Long.SIZE - CHANCE_BITS;
        var tail =
                (MARK
                                + Long.toString(maker.pidScope(), BASE)
                                + "-"
                                + Long.toString(maker.process(), BASE)
                                + "-"
                                + Long.toString(maker.start(), BASE)
                                + "-"
                                + Long.toString(chance, BASE)
                                + checkpoint
                                + END)
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = name.bytes();
        int kept = Math.min(bytes.length, FileName.BYTES_MAX - START.length() - tail.length);
        while (kept < bytes.length && kept > 0 && isContinuation(bytes[kept])) {
            kept--;
        }
        byte[] whole = new byte[START.length() + kept + tail.length];
        whole[0] = (byte) START.charAt(0);
        System.arraycopy(bytes, 0, whole, START.length(), kept);
        System.arraycopy(tail, 0, whole, START.length() + kept, tail.length);
        return new FileName(whole);
    }

    /** Returns whether a byte continues a UTF-8 character. */
    private static boolean isContinuation(byte each) {
        return (each & CONTINUATION_MASK) == CONTINUATION;
    }

    /** Returns the process that made a file of this name; empty if the name is not temporary. */
    static Optional<RunningProcess> maker(FileName name) {
        var matcher = matcher(name);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            long[] numbers = new long[3];
            Arrays.setAll(numbers, i -> Long.parseLong(matcher.group(i + 1), BASE));
            return Optional.of(new RunningProcess(numbers[0], numbers[1], numbers[2]));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static Matcher matcher(FileName name) {
        // Only the end of the name is certain to be text.
        return FORM.matcher(new String(name.bytes(), StandardCharsets.ISO_8859_1));
    }

    /** Returns how far the copy of this name got; empty if it cannot be resumed. */
    static Optional<Checkpoint> checkpoint(FileName name) {
        var matcher = matcher(name);
        if (!matcher.matches() || matcher.group(4) == null) {
            return Optional.empty();
        }
        try {
            long source = Long.parseLong(matcher.group(4), BASE);
            return Optional.of(new Checkpoint(source, Long.parseLong(matcher.group(5), BASE)));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    /** Returns whether a file of this name belongs to an incomplete copy. */
    public static boolean is(FileName name) {
        return maker(name).isPresent();
    }
}
