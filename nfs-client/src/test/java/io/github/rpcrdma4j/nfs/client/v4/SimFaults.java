package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The limits of a simulated server, and what goes wrong with it and its network, by a seed. */
final class SimFaults {
    private static final int OF_ALL = 1000;

    /** What a server may put off. */
    private static final Set<Opcode> DEFERRED =
            EnumSet.of(
                    Opcode.CLOSE,
                    Opcode.CREATE_SESSION,
                    Opcode.EXCHANGE_ID,
                    Opcode.GETATTR,
                    Opcode.GETFH,
                    Opcode.LOCK,
                    Opcode.LOCKU,
                    Opcode.OPEN,
                    Opcode.READ,
                    Opcode.RECLAIM_COMPLETE,
                    Opcode.REMOVE,
                    Opcode.RENAME,
                    Opcode.WRITE);

    private final RandomGenerator random;
    final int minorVersion;
    final int leaseSeconds;
    final int graceSeconds;
    final StateLimits limits;

    /** Of a thousand calls each. */
    private final int lostCalls;

    private final int lostReplies;
    private final int late;
    private final int deferred;
    private final int misordered;
    private final int slow;
    private final int shrinking;
    private final int lostCallbacks;
    private final int forgotten;
    private final int impatient;
    private final int retired;
    private final int tooHigh;

    /** The highest slot that the server wants to see used, also when nothing goes wrong. */
    int highest = Integer.MAX_VALUE;

    /** Whether nothing goes wrong. */
    private boolean isOver = true;

    /** What the server answers to the next operations of a kind, if a test says so. */
    private final Map<Opcode, ArrayDeque<Nfs4Status>> answers = new EnumMap<>(Opcode.class);

    /** How long the next operation takes, if a test says so. */
    private long pause;

    /** How many of the next replies are lost, if a test says so. */
    private int repliesToLose;

    /** From which operation on they are; null if from now on. */
    private Opcode firstToLose;

    /** What a call gets that is repeated while the server works on it, if a test says so. */
    private Nfs4Status onRepetition = Nfs4Status.DELAY;

    /** Whether the server keeps no reply, if a test says so. */
    private boolean keepsNoReply;

    /** Nothing goes wrong but what a test says. */
    SimFaults(RandomGenerator random, int minorVersion, int slots) {
        this.random = random;
        this.minorVersion = minorVersion;
        leaseSeconds = 10;
        graceSeconds = 10;
        limits = limits(slots, 1 << 20, 2048, 512);
        lostCalls = 0;
        lostReplies = 0;
        late = 0;
        deferred = 0;
        misordered = 0;
        slow = 0;
        shrinking = 0;
        lostCallbacks = 0;
        forgotten = 0;
        impatient = 0;
        retired = 0;
        tooHigh = 0;
    }

    /**
     * The limits of other servers, and faults by chance.
     *
     * @param minorVersions one of them is used
     */
    SimFaults(RandomGenerator random, List<Integer> minorVersions) {
        this.random = random;
        minorVersion = minorVersions.get(random.nextInt(minorVersions.size()));
        leaseSeconds = one(2, 5, 10, 30);
        graceSeconds = one(0, 2, 10, 90);
        limits = limits(one(1, 2, 3, 4, 16), one(4096, 1 << 20), one(1024, 2048), one(16, 50, 512));
        lostCalls = one(0, 0, 10, 50);
        lostReplies = one(0, 0, 10, 50);
        late = one(0, 500);
        deferred = one(0, 0, 10, 100);
        misordered = one(0, 0, 0, 10);
        slow = one(0, 100, 500);
        shrinking = one(0, 0, 100);
        lostCallbacks = one(0, 0, 300, 1000);
        forgotten = one(0, 0, 500);
        impatient = one(0, 0, 500);
        retired = one(0, 0, 0, 10);
        tooHigh = one(0, 0, 0, 10);
    }

    private static StateLimits limits(int slots, int messages, int kept, int operations) {
        var usual = StateLimits.DEFAULTS;
        return new StateLimits(
                usual.clients(),
                usual.unconfirmedClients(),
                usual.courtesyClients(),
                usual.courtesyNanos(),
                usual.sessionsOfClient(),
                usual.connectionsOfSession(),
                usual.sessionBytes(),
                slots,
                messages,
                kept,
                operations,
                usual.stateBytes(),
                usual.opensOfClient(),
                usual.delegations(),
                usual.locks());
    }

    /** Sets what the server answers to the next operations of a kind. */
    void answer(Opcode operation, Nfs4Status... statuses) {
        answers.computeIfAbsent(operation, _ -> new ArrayDeque<>()).addAll(List.of(statuses));
    }

    void forgetAnswers() {
        answers.clear();
    }

    /** Sets what a call gets that is repeated while the server works on it. */
    void onRepetition(Nfs4Status status) {
        onRepetition = status;
    }

    /** Keeps no reply any more. */
    void keepNoReply() {
        keepsNoReply = true;
    }

    /** Lets a time pass behind the next operation. */
    void pauseOnce(long nanos) {
        pause = nanos;
    }

    /** Loses the next replies, with their connections. */
    void loseReplies(int count) {
        repliesToLose = count;
    }

    /** Loses the replies from the next operation of a kind on. */
    void loseReplies(Opcode from, int count) {
        firstToLose = from;
        repliesToLose = count;
    }

    int one(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private boolean isDrawn(int ofAll) {
        return !isOver && random.nextInt(OF_ALL) < ofAll;
    }

    void begin() {
        isOver = false;
    }

    /** Nothing goes wrong any more. */
    void end() {
        isOver = true;
        highest = Integer.MAX_VALUE;
    }

    boolean isOver() {
        return isOver;
    }

    /** How long a message is on its way. */
    long transitNanos() {
        return 10_000 + random.nextLong(isDrawn(slow / 10) ? 3 * SimServer.SECOND : 1_000_000);
    }

    boolean losesCall() {
        return isDrawn(lostCalls);
    }

    boolean losesReply() {
        if (repliesToLose > 0 && firstToLose == null) {
            repliesToLose--;
            return true;
        }
        return isDrawn(lostReplies);
    }

    /** Returns whether what is lost for one side arrives at the other nevertheless. */
    boolean isLate() {
        return isDrawn(late);
    }

    boolean losesCallback() {
        return isDrawn(lostCallbacks);
    }

    /** How long an operation takes; 0 if the next one follows at once. */
    long operationNanos() {
        if (pause > 0) {
            long once = pause;
            pause = 0;
            return once;
        }
        return isDrawn(slow) ? random.nextLong(isDrawn(20) ? 5 * SimServer.SECOND : 500_000) : 0;
    }

    private void answer(Opcode operation) throws SimCompound.Failure {
        var next = answers.getOrDefault(operation, new ArrayDeque<>()).poll();
        if (next != null && next != Nfs4Status.OK) {
            throw new SimCompound.Failure(next);
        }
    }

    void beforeSequence() throws SimCompound.Failure {
        answer(Opcode.SEQUENCE);
        if (isDrawn(deferred / 4)) {
            throw new SimCompound.Failure(Nfs4Status.DELAY);
        }
        if (isDrawn(misordered)) {
            throw new SimCompound.Failure(Nfs4Status.SEQ_MISORDERED);
        }
        if (isDrawn(tooHigh)) {
            throw new SimCompound.Failure(Nfs4Status.BAD_HIGH_SLOT);
        }
    }

    /** Returns the failure of a call that is repeated while the server works on it. */
    SimCompound.Failure onRepetition() {
        return new SimCompound.Failure(
                !isDrawn(impatient)
                        ? onRepetition
                        : random.nextBoolean()
                                ? Nfs4Status.RETRY_UNCACHED_REP
                                : Nfs4Status.SEQ_FALSE_RETRY);
    }

    /** Returns whether the server does not keep a reply that it was asked to keep. */
    boolean forgetsReply() {
        return keepsNoReply || isDrawn(forgotten);
    }

    /** Returns whether the server takes a slot from its client. */
    boolean retiresSlot() {
        return isDrawn(retired);
    }

    void beforeOperation(Opcode opcode) throws SimCompound.Failure {
        firstToLose = firstToLose == opcode ? null : firstToLose;
        answer(opcode);
        if (DEFERRED.contains(opcode) && isDrawn(deferred)) {
            throw new SimCompound.Failure(Nfs4Status.DELAY);
        }
    }

    /** Returns the highest slot that the server wants to see used. */
    int target(int granted) {
        int wanted = Math.min(highest, granted);
        return isDrawn(shrinking) ? random.nextInt(wanted + 1) : wanted;
    }
}
