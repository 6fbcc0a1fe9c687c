package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.driver.AnswerTimes;
import io.github.rpcrdma4j.nfs.server.driver.CallPermits;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.PseudoTree;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.server.v4.DelegatedAttributes.Question;
import io.github.rpcrdma4j.nfs.server.v4.DelegatedAttributes.Told;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.nfs.v4.operation.DirectoryWriter;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments.ReadDir;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Carries out READDIR (RFC 8881, Section 18.23). Clients that may have written to listed files
 * under their delegations are asked for the attributes of these files.
 *
 * <p>Tests: {@code Nfs4NamesTest}, {@code ListingErrorsTest}.
 */
final class DirectoryOperations {
    /** Cookies stay valid forever, so their verifier never changes. */
    private static final long VERIFIER = 0;

    /** Cookies of clients are this much larger than those of stores: 1 and 2 are reserved. */
    private static final int RESERVED = 2;

    /** Room for the number, the status and the tag of the reply. */
    private static final int AROUND_BYTES = 64;

    /**
     * How long one reply waits in all for clients that are asked for attributes. It ends after the
     * entry at which that is over, so a client that has many files delegated delays no reply much.
     */
    private static final long ASKING_MAX_NANOS = 1_000_000_000L;

    /** How many entries wait at most until clients are asked. */
    private static final int PENDING_MAX = 64;

    private final FactsReader facts;
    private final DelegatedAttributes delegated;

    DirectoryOperations(FactsReader facts, DelegatedAttributes delegated) {
        this.facts = facts;
        this.delegated = delegated;
    }

    Answer list(Compound compound, ReadDir call) throws OperationFailure, Refusal, StoreException {
        var directory = compound.current();
        ServedAttributes.requireReadable(call.wanted());
        switch (directory) {
            case CurrentFile.Exported file ->
                    HandleOperations.requireDirectory(compound.open(file));
            case CurrentFile.Pseudo _ -> {}
        }
        if (call.cookie() > 0 && call.cookie() <= RESERVED) {
            throw new OperationFailure(Nfs4Status.BAD_COOKIE);
        }
        if (call.cookie() != 0 && call.verifier() != VERIFIER) {
            throw new OperationFailure(Nfs4Status.NOT_SAME);
        }
        return out -> {
            long room = compound.limits().responseMax() - out.position() - AROUND_BYTES;
            long most = Math.min(Integer.toUnsignedLong(call.countMax()), Math.max(0, room));
            try (var times = delegated.times()) {
                new Page(compound, directory, call, out, most, times).list();
            }
        };
    }

    /**
     * An entry of a directory.
     *
     * @param cookie where a listing of the store goes on after it
     * @param known what the server knows itself
     * @param file if a client may know more; or null
     */
    private record Pending(
            long cookie, long number, FileName name, FileFacts known, ExportedFile file) {}

    /** Reads what the server tells of an entry. */
    private interface Description {
        FileFacts read() throws Refusal, StoreException;
    }

    /** One reply. */
    private final class Page implements EntrySink {
        private final Compound compound;
        private final CurrentFile directory;
        private final ReadDir call;
        private final DirectoryWriter writer;

        /**
         * The entries behind the first one of which a client may know more. It is asked when the
         * store has listed them: a thread of the store must not wait, and the directory is open.
         */
        private final List<Pending> pending = new ArrayList<>();

        /** The file of the present entry, if a client may know more of it; or null. */
        private ExportedFile mayKnowMore;

        private boolean isLast;
        private boolean isEmpty = true;

        /** How long clients were asked for attributes, together. */
        private long askedNanos;

        /** How long each of them was asked. */
        private final AnswerTimes times;

        /** Whether the inode numbers of entries are not all that is needed. */
        private boolean looksAtEntries;

        /** An entry that could not be described, while the client did not ask for such errors. */
        private StoreException failure;

        /** Likewise if its file is at another server. */
        private Refusal refusal;

        Page(
                Compound compound,
                CurrentFile directory,
                ReadDir call,
                XdrWriter out,
                long bytesMax,
                AnswerTimes times) {
            this.times = times;
            this.compound = compound;
            this.directory = directory;
            this.call = call;
            this.writer = new DirectoryWriter(out, call, VERIFIER, bytesMax);
        }

        void list() throws OperationFailure, Refusal, StoreException {
            switch (directory) {
                case CurrentFile.Pseudo(var at) -> list(at);
                case CurrentFile.Exported file -> {
                    var target = compound.open(file);
                    long after = call.cookie() == 0 ? 0 : call.cookie() - RESERVED;
                    looksAtEntries = wantsStatus() || leadsToInner(file);
                    do {
                        target.node().list(target.caller(), after, looksAtEntries, this);
                        requireNoFailure();
                        after = addPending();
                    } while (after != 0);
                }
            }
            var status = writer.finish(isLast);
            if (status != Nfs4Status.OK) {
                throw new OperationFailure(status);
            }
        }

        private void requireNoFailure() throws Refusal, StoreException {
            if (failure != null) {
                throw failure;
            }
            if (refusal != null) {
                throw refusal;
            }
        }

        private boolean wantsStatus() {
            return !call.wanted()
                    .without(Attribute.FILEID, Attribute.RDATTR_ERROR)
                    .and(AttributeSet.READABLE)
                    .isEmpty();
        }

        /**
         * Returns whether entries may be roots of other exports. If one of them has moved, that is
         * what RDATTR_ERROR says, or else READDIR (RFC 8881, Section 11.4.2).
         */
        private boolean leadsToInner(CurrentFile.Exported file) {
            return compound.exports().tree().leadsToInner(file.export(), file.file());
        }

        private void list(PseudoTree.Directory at) throws Refusal, StoreException {
            for (var each : at.byCookie().entrySet()) {
                long cookie = each.getKey();
                if (Long.compareUnsigned(cookie, call.cookie()) > 0
                        && !add(cookie, each.getValue(), at.entries().get(each.getValue()))) {
                    return;
                }
            }
            isLast = true;
        }

        /** Adds an entry of a pseudo directory, unless its export has gone since this began. */
        private boolean add(long cookie, FileName name, PseudoTree.Entry entry)
                throws Refusal, StoreException {
            try {
                return !isServed(entry) || writer.add(cookie, name, entryFacts(entry));
            } catch (StoreException failed) {
                if (isServed(entry)) {
                    throw failed;
                }
                return true;
            }
        }

        private boolean isServed(PseudoTree.Entry entry) {
            return !(entry instanceof PseudoTree.Junction(var export))
                    || compound.exports().find(export.store()).isPresent();
        }

        private FileFacts entryFacts(PseudoTree.Entry entry) throws Refusal, StoreException {
            return switch (entry) {
                case PseudoTree.Directory below -> facts.of(compound, below);
                case PseudoTree.Junction(var export) -> {
                    var root = new CurrentFile.Exported(export, export.store().root());
                    yield orError(PseudoTree.number(export), () -> rootFacts(root));
                }
            };
        }

        /** Returns what the server tells of the root of another export than the directory's. */
        private FileFacts rootFacts(CurrentFile root) throws Refusal, StoreException {
            boolean wantsLocations = call.wanted().has(Attribute.FS_LOCATIONS);
            if (wantsLocations || call.wanted().has(Attribute.RDATTR_ERROR)) {
                var status = wantsLocations ? Nfs4Status.OK : Nfs4Status.MOVED;
                var moved = facts.ofMoved(compound, root, status);
                if (moved.isPresent()) {
                    return moved.get();
                }
            }
            return facts.of(compound, root, call.wanted());
        }

        @Override
        public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> found) {
            if (name.isDots()) {
                return true;
            }
            try {
                mayKnowMore = null;
                var known = orError(number, () -> entryFacts(name, number, found));
                var entry = new Pending(cookie, number, name, known, mayKnowMore);
                if (entry.file == null && pending.isEmpty()) {
                    return add(entry, entry.known);
                }
                pending.add(entry);
                return pending.size() < PENDING_MAX;
            } catch (Refusal moved) {
                refusal = moved;
                return false;
            } catch (StoreException gone) {
                if (isGone(gone)) {
                    return true;
                }
                failure = gone;
                return false;
            }
        }

        private static boolean isGone(StoreException failure) {
            return failure.failure() == Failure.NOENT || failure.failure() == Failure.STALE;
        }

        private boolean add(Pending entry, FileFacts facts) {
            boolean isAdded = writer.add(entry.cookie + RESERVED, entry.name, facts);
            isEmpty &= !isAdded;
            return isAdded;
        }

        /**
         * Adds the entries that have waited, after clients were asked.
         *
         * @return the cookie of the store after which the listing goes on; 0 if this reply ends
         * @throws OperationFailure DELAY if the client that may have written to the file of the
         *     first entry does not tell, unless the caller asked for such errors
         */
        private long addPending() throws OperationFailure {
            boolean isListed = isLast;
            isLast = false;
            int asked = 0;
            while (asked < pending.size()) {
                var batch = batch(asked);
                if (askedNanos > ASKING_MAX_NANOS || !add(batch)) {
                    return 0;
                }
                asked += batch.size();
            }
            isLast = isListed;
            boolean goesOn = pending.size() == PENDING_MAX && askedNanos <= ASKING_MAX_NANOS;
            long last = goesOn && !isListed ? pending.getLast().cookie : 0;
            pending.clear();
            return last;
        }

        /** An entry, and the question to the client that may know more of its file; or null. */
        private record Asked(Pending entry, Question question) {}

        /**
         * Returns the next entries whose questions are asked side by side: no more to a client than
         * it takes at a time, and only a few, as this reply may not have room for all. Those that
         * are not asked any more are all in: the sooner their delegations are recalled the better.
         */
        private List<Asked> batch(int from) {
            var batch = new ArrayList<Asked>();
            var questions = new HashMap<Long, Integer>();
            for (var each : pending.subList(from, pending.size())) {
                var question = question(each);
                if (question != null && !question.writer().isLate()) {
                    var writer = question.writer();
                    int others = questions.values().stream().mapToInt(Integer::intValue).sum();
                    int own = questions.merge(writer.clientId(), 1, Integer::sum);
                    boolean hasSlot = own == 1 || own <= writer.slots();
                    if (others == CallPermits.QUESTIONS_OF_ASKER_MAX || !hasSlot) {
                        return batch;
                    }
                }
                batch.add(new Asked(each, question));
            }
            return batch;
        }

        private Question question(Pending entry) {
            if (entry.file == null) {
                return null;
            }
            return delegated
                    .writer(compound, entry.file)
                    .map(each -> new Question(entry.file, (ServedFacts) entry.known, each))
                    .orElse(null);
        }

        /**
         * Adds entries as GETATTR tells of them, after clients were asked.
         *
         * @return false if the reply ends: what is there already need not be asked for again
         */
        private boolean add(List<Asked> batch) throws OperationFailure {
            long began = System.nanoTime();
            var questions = batch.stream().map(Asked::question).filter(Objects::nonNull).toList();
            var told = delegated.all(compound, questions, times).iterator();
            askedNanos += questions.isEmpty() ? 0 : System.nanoTime() - began;
            for (var each : batch) {
                var of = each.question == null ? each.entry.known : facts(each.entry, told.next());
                if (of == null || !add(each.entry, of)) {
                    return false;
                }
            }
            return true;
        }

        /** Returns what is told of an entry; null if the reply ends before it. */
        private FileFacts facts(Pending entry, Told told) throws OperationFailure {
            return switch (told) {
                case Told.Facts(var of) -> of;
                case Told.Delayed(var why) -> {
                    if (call.wanted().has(Attribute.RDATTR_ERROR)) {
                        yield new EntryError(why.status(), entry.number);
                    }
                    if (isEmpty) {
                        throw why;
                    }
                    yield null;
                }
            };
        }

        private FileFacts entryFacts(FileName name, long number, Optional<Made.Entry> found)
                throws Refusal, StoreException {
            if (!looksAtEntries) {
                return new EntryError(Nfs4Status.OK, number);
            }
            var target = compound.open((CurrentFile.Exported) directory);
            if (found.isPresent()) {
                return entryFacts(target, found.get());
            }
            // The lookup tells the reason: a missing right, or a file that is gone.
            var again = target.node().lookup(target.caller(), name);
            return entryFacts(target, new Made.Entry(again.id(), again.status()));
        }

        private FileFacts entryFacts(CallTarget target, Made.Entry found)
                throws Refusal, StoreException {
            var export = target.openExport();
            var file = HandleOperations.exported(compound.exports(), export, found.id());
            if (file instanceof CurrentFile.Exported exported && exported.export() != export) {
                try {
                    return rootFacts(file);
                } catch (StoreException hidden) {
                    // The name stays, even if what was mounted over it is gone.
                    return error(hidden, found.status().number());
                }
            }
            var known = facts.ofEntry(compound, target, found, call.wanted());
            if (DelegatedAttributes.mayKnowMore(compound, call.wanted(), known)) {
                mayKnowMore = new ExportedFile(export.store(), found.id());
            }
            return known;
        }

        /**
         * Returns what the server tells of an entry, or why it cannot.
         *
         * @throws Refusal MOVED, unless the client asked for such errors or for locations
         * @throws StoreException if the file is gone, or if the client did not ask for such errors
         */
        private FileFacts orError(long number, Description of) throws Refusal, StoreException {
            try {
                return of.read();
            } catch (Refusal refusal) {
                if (refusal.failure() == Failure.MOVED) {
                    throw refusal;
                }
                // READDIR itself never fails for this reason (RFC 8881, Section 2.6.3.1).
                return new EntryError(Statuses.of(refusal.failure()), number);
            } catch (StoreException failed) {
                if (directory instanceof CurrentFile.Exported && isGone(failed)) {
                    throw failed;
                }
                return error(failed, number);
            }
        }

        private FileFacts error(StoreException failed, long number) throws StoreException {
            if (!call.wanted().has(Attribute.RDATTR_ERROR)) {
                throw failed;
            }
            return new EntryError(Statuses.of(failed.failure()), number);
        }

        @Override
        public void end() {
            isLast = true;
        }
    }
}
