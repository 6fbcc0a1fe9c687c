package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.driver.AnswerTimes;
import io.github.rpcrdma4j.nfs.server.driver.Callbacks;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.state.event.DelegatedWriter;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.xdr.XdrException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends CB_GETATTR when a client asks for attributes of a file that another client may have written
 * to under its delegation (RFC 8881, Section 10.4.3). Thread-safe.
 *
 * <p>Tests: {@code DelegationTest}, {@code DelegatedListingsTest}.
 */
final class DelegatedAttributes {
    /** Those that a client tells the server. */
    private static final AttributeSet ASKED = AttributeSet.of(Attribute.CHANGE, Attribute.SIZE);

    /** Those that it tells if it keeps the times. */
    private static final AttributeSet ASKED_WITH_TIMES = ASKED.or(ServedAttributes.OF_DELEGATIONS);

    /** Those for which the client has to be asked. */
    private static final AttributeSet CHANGING =
            ASKED.or(
                    AttributeSet.of(
                            Attribute.TIME_ACCESS,
                            Attribute.TIME_MODIFY,
                            Attribute.TIME_METADATA,
                            Attribute.SPACE_USED));

    private static final ThreadFactory THREADS = Thread.ofVirtual().name("nfs-question").factory();

    private final StateDriver state;
    private final Callbacks callbacks;
    private final InstantSource clock;

    /** Makes change attributes that no client has seen. */
    private final AtomicLong changes = new AtomicLong();

    DelegatedAttributes(StateDriver state, Callbacks callbacks, InstantSource clock) {
        this.state = state;
        this.callbacks = callbacks;
        this.clock = clock;
    }

    /**
     * Returns what the server tells of a file, after it has asked the client that may know more.
     *
     * @param facts what the server knows itself
     * @throws OperationFailure DELAY if that client does not tell, or lets others wait for long:
     *     its delegation is recalled; also while the server cannot ask it, which recalls nothing
     *     for a short time: the asker may lack any right
     */
    ServedFacts of(Compound compound, CurrentFile file, AttributeSet wanted, ServedFacts facts)
            throws OperationFailure {
        return switch (file) {
            case CurrentFile.Exported of ->
                    of(compound, new ExportedFile(of.export().store(), of.file()), wanted, facts);
            case CurrentFile.Pseudo _ -> facts;
        };
    }

    private ServedFacts of(
            Compound compound, ExportedFile file, AttributeSet wanted, ServedFacts facts)
            throws OperationFailure {
        if (!mayKnowMore(compound, wanted, facts)) {
            return facts;
        }
        var writer = writer(compound, file);
        if (writer.isEmpty()) {
            return facts;
        }
        try (var times = times()) {
            return of(compound, new Question(file, facts, writer.get()), times);
        }
    }

    /** Returns where the times of answers for one reply are collected; closed after the reply. */
    AnswerTimes times() {
        return new AnswerTimes(state);
    }

    /** Returns who may have written to a file, other than the client that wants to know. */
    Optional<DelegatedWriter> writer(Compound compound, ExportedFile file) {
        return state.read((all, now) -> all.delegations().writer(compound.use(), file, now));
    }

    /** Returns whether a client may know more of a file than the server. Waits for nothing. */
    static boolean mayKnowMore(Compound compound, AttributeSet wanted, ServedFacts facts) {
        return compound.use() != null
                && facts.status().type() == FileType.REGULAR
                && !wanted.and(CHANGING).isEmpty()
                && compound.hasDelegatedFiles();
    }

    /**
     * A question for a CB_GETATTR: the file, what the server knows of it, and the client that may
     * have written to it.
     *
     * @param facts what the server knows itself
     */
    record Question(ExportedFile file, ServedFacts facts, DelegatedWriter writer) {}

    /**
     * The outcome of a {@link Question}: the attributes of the file, or the failure of the
     * operation that wants them.
     */
    sealed interface Told {
        record Facts(ServedFacts facts) implements Told {}

        /** The operation that wants the attributes fails with DELAY, as {@link #of} does. */
        record Delayed(OperationFailure why) implements Told {}
    }

    /**
     * Asks clients side by side, as {@link #of} does. Returns what the server tells in the order of
     * the questions.
     *
     * @param times where the times of the answers are collected
     */
    List<Told> all(Compound compound, List<Question> questions, AnswerTimes times) {
        if (questions.size() <= 1) {
            return questions.stream().map(each -> one(compound, each, times)).toList();
        }
        var told = new ArrayList<Told>();
        try (var threads = Executors.newThreadPerTaskExecutor(THREADS)) {
            var asked = new ArrayList<Future<Told>>();
            for (var each : questions) {
                asked.add(
                        each.writer.isLate()
                                ? CompletableFuture.completedFuture(one(compound, each, times))
                                : threads.submit(() -> one(compound, each, times)));
            }
            for (var each : asked) {
                told.add(each.get());
            }
        } catch (ExecutionException broken) {
            throw new IllegalStateException("a question to a client failed", broken.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            while (told.size() < questions.size()) {
                told.add(new Told.Delayed(new OperationFailure(Nfs4Status.DELAY)));
            }
        }
        return told;
    }

    private Told one(Compound compound, Question question, AnswerTimes times) {
        try {
            return new Told.Facts(of(compound, question, times));
        } catch (OperationFailure delayed) {
            return new Told.Delayed(delayed);
        }
    }

    private ServedFacts of(Compound compound, Question question, AnswerTimes answerTimes)
            throws OperationFailure {
        var key = question.file;
        var writer = question.writer;
        var facts = question.facts;
        var told = told(compound, key, writer, answerTimes);
        if (told.isEmpty()) {
            state.results(
                    (all, now) ->
                            all.delegations().requireUndelegated(compound.use(), key, false, now));
            throw new OperationFailure(Nfs4Status.DELAY);
        }
        var now = clock.instant();
        var times = writer.times().map(granted -> new KeptTimes(granted, now));
        var status = facts.status();
        var accessed =
                times.map(kept -> accessed(told.get(), kept, status)).orElse(status.accessed());
        if (told.get().hyper(Attribute.CHANGE) == writer.change()) {
            return facts.changed(
                    facts.change(),
                    with(status, status.size(), accessed, status.modified(), status.changed()));
        }
        var nowTime = new Time(now.getEpochSecond(), now.getNano());
        var modified = times.map(kept -> modified(told.get(), kept, nowTime)).orElse(nowTime);
        return facts.changed(
                facts.change() + changes.incrementAndGet(),
                with(status, told.get().hyper(Attribute.SIZE), accessed, modified, modified));
    }

    /**
     * Returns what a client tells of a file, if it does.
     *
     * @throws OperationFailure DELAY if the server cannot ask it
     */
    private Optional<ReadAttributes> told(
            Compound compound, ExportedFile key, DelegatedWriter writer, AnswerTimes times)
            throws OperationFailure {
        if (writer.isLate()) {
            return Optional.empty();
        }
        var wanted = writer.times().isPresent() ? ASKED_WITH_TIMES : ASKED;
        var asker = compound.use().where();
        return switch (callbacks.ask(writer.clientId(), key, wanted, asker)) {
            case Callbacks.Told.Asked(var call, long began, var attributes) -> {
                long ended = System.nanoTime();
                state.read(
                        (all, _) -> {
                            all.delegations().asked(compound.use(), key);
                            return null;
                        });
                var told = attributes.flatMap(this::decode);
                boolean isRefused = told.isEmpty() && owesAnswer(compound, key, writer);
                times.add(new AnswerTimes.Answer(call, began, ended, isRefused));
                yield told;
            }
            case Callbacks.Told.Unreachable() -> Optional.empty();
            case Callbacks.Told.Unasked() -> {
                state.happen((all, now) -> all.delegations().unasked(compound.use(), key, now));
                throw new OperationFailure(Nfs4Status.DELAY);
            }
        };
    }

    /** Returns whether a client that was asked still has the delegation. */
    private boolean owesAnswer(Compound compound, ExportedFile key, DelegatedWriter asked) {
        return writer(compound, key)
                .filter(each -> each.clientId() == asked.clientId())
                .isPresent();
    }

    private static Time accessed(ReadAttributes told, KeptTimes kept, FileStatus status) {
        return told.present().has(Attribute.TIME_DELEG_ACCESS)
                        && kept.accessed(told.time(Attribute.TIME_DELEG_ACCESS))
                                instanceof TimeChange.To(var time)
                ? time
                : status.accessed();
    }

    /**
     * Returns when the client has written last.
     *
     * @param now for a client that does not tell
     */
    private static Time modified(ReadAttributes told, KeptTimes kept, Time now) {
        return told.present().has(Attribute.TIME_DELEG_MODIFY)
                        && kept.modified(told.time(Attribute.TIME_DELEG_MODIFY))
                                instanceof TimeChange.To(var time)
                ? time
                : now;
    }

    private Optional<ReadAttributes> decode(EncodedAttributes encoded) {
        if (!encoded.attributes().hasAll(ASKED)) {
            return Optional.empty();
        }
        try {
            return Optional.of(ReadAttributes.decode(encoded));
        } catch (XdrException _) {
            return Optional.empty();
        }
    }

    private static FileStatus with(
            FileStatus status, long size, Time accessed, Time modified, Time changed) {
        return new FileStatus(
                status.type(),
                status.mode(),
                status.links(),
                status.uid(),
                status.gid(),
                size,
                status.used(),
                status.major(),
                status.minor(),
                status.fileSystem(),
                status.number(),
                status.mountedOn(),
                accessed,
                modified,
                changed,
                status.born());
    }
}
