package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Records in a directory that one server uses at a time.
 *
 * <pre>
 *   lock           locked while a server uses the directory
 *   epoch          the number of the last start
 *   client-HASH    the record of one client; HASH is a SHA-256 of its name
 *   revoked-HASH   that of one that reclaims nothing; it counts if both are there
 * </pre>
 *
 * <p>A record keeps the number of the start that wrote it. Until the grace period ends, the records
 * of all earlier starts are there, however often the server starts; it does not matter which start
 * wrote them. Damaged and foreign files are skipped. Thread-safe.
 */
public final class StoredRecords implements ClientRecords {
    /** The most records that a start reads, and the most that it writes. */
    public static final int RECORDS_MAX = 1 << 16;

    private static final Logger LOG = System.getLogger(StoredRecords.class.getName());
    private static final String LOCK = "lock";
    private static final String EPOCH = "epoch";

    /** 2025-01-01, in seconds since 1970. */
    private static final long EPOCHS_START = 1_735_689_600L;

    /** How long the end of the server waits for a change in progress. */
    private static final Duration END = Duration.ofSeconds(3);

    /** The last number that the clock gives; it leaves room for starts after a wrong clock. */
    private static final long CLOCK_MAX = 1 << 30;

    private final StableDirectory directory;
    private final FileChannel lock;
    private final int recordsMax;
    private final Duration end;

    /** The names of the files that this start wrote. */
    private final Set<String> written = new HashSet<>();

    private final Map<ClientName, ClientRecord> earlier = new LinkedHashMap<>();
    private int highestEpoch;
    private int skipped;
    private String firstSkipped;
    private volatile boolean isClosed;

    private StoredRecords(
            StableDirectory directory, FileChannel lock, int recordsMax, Duration end) {
        this.directory = directory;
        this.lock = lock;
        this.recordsMax = recordsMax;
        this.end = end;
    }

    /**
     * Starts to use a directory, which is made if it is missing. The number of the start is on
     * storage when this returns.
     *
     * @throws IOException if another server uses the directory, if other users can, or if it cannot
     *     be read and written; the message is one line
     */
    public static StoredRecords open(Path path) throws IOException {
        return open(path, InstantSource.system(), RECORDS_MAX, _ -> {});
    }

    /**
     * Opens a directory, as {@link #open(Path)} does.
     *
     * @param recordsMax the most records that are read, and the most that are written
     * @param before invoked before each step of this and of all changes
     */
    public static StoredRecords open(
            Path path, InstantSource clock, int recordsMax, Consumer<Step> before)
            throws IOException {
        return open(path, clock, recordsMax, before, END);
    }

    /**
     * Opens a directory, as above.
     *
     * @param end how long {@link #close} waits
     */
    public static StoredRecords open(
            Path path, InstantSource clock, int recordsMax, Consumer<Step> before, Duration end)
            throws IOException {
        var directory = StableDirectory.ofOwner(path, before);
        var lock =
                directory
                        .tryLock(LOCK)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "another server is running for the same"
                                                        + " address, and keeps its clients in "
                                                        + path
                                                        + ": end it, or have this one listen at"
                                                        + " another address"));
        var records = new StoredRecords(directory, lock, recordsMax, end);
        try {
            records.start(clock);
            return records;
        } catch (IOException | RuntimeException | Error failed) {
            lock.close();
            throw failed;
        }
    }

    private void start(InstantSource clock) throws IOException {
        readEpoch();
        var leftovers = new ArrayList<String>();
        forEachName(
                name -> {
                    if (RecordFile.isName(name)) {
                        readRecord(name);
                    } else if (isLeftover(name)) {
                        leftovers.add(name);
                    } else if (!name.equals(LOCK) && !name.equals(EPOCH)) {
                        skip(name);
                    }
                });
        if (!leftovers.isEmpty()) {
            directory.remove(leftovers);
        }
        highestEpoch = next(clock);
        directory.write(EPOCH, new RecordFile(highestEpoch, null).encode());
        if (skipped > 0) {
            LOG.log(
                    Level.WARNING,
                    "skipped what is no record of a client in {0}: {1} in all, such as {2}",
                    directory.path(),
                    skipped,
                    firstSkipped);
        }
    }

    /**
     * Returns the number of this start: larger than all that are known, and by the clock larger
     * than those that a lost directory knew.
     */
    private int next(InstantSource clock) throws IOException {
        long seconds = clock.instant().getEpochSecond() - EPOCHS_START;
        long next = Math.max(highestEpoch + 1L, Math.clamp(seconds, 1, CLOCK_MAX));
        if (next > Integer.MAX_VALUE) {
            throw new IOException(
                    directory.path() + " cannot count another start: remove it to start anew");
        }
        return (int) next;
    }

    /** Without a whole file the records and the clock tell the number. */
    private void readEpoch() throws IOException {
        var kept = directory.read(EPOCH, RecordFile.BYTES_MAX + 1);
        if (kept.isPresent()) {
            RecordFile.decode(kept.get())
                    .filter(file -> file.client() == null)
                    .ifPresentOrElse(file -> highestEpoch = file.epoch(), () -> skip(EPOCH));
        }
    }

    private void readRecord(String name) {
        var file = earlier.size() < recordsMax ? record(name) : Optional.<RecordFile>empty();
        if (file.isPresent()) {
            highestEpoch = Math.max(highestEpoch, file.get().epoch());
            var client = file.get().client();
            if (RecordFile.isRevoked(name)) {
                earlier.put(client.name(), client.revoked());
            } else {
                earlier.putIfAbsent(client.name(), client);
            }
        } else {
            skip(name);
        }
    }

    private Optional<RecordFile> record(String name) {
        try {
            return directory
                    .read(name, RecordFile.BYTES_MAX + 1)
                    .flatMap(RecordFile::decode)
                    .filter(file -> file.client() != null)
                    .filter(file -> RecordFile.isOf(name, file.client().name()));
        } catch (IOException _) {
            // One client cannot reclaim; the others can.
            return Optional.empty();
        }
    }

    private void skip(String name) {
        skipped++;
        firstSkipped = firstSkipped == null ? name : firstSkipped;
    }

    private static boolean isLeftover(String name) {
        return StableDirectory.isTemporary(name)
                && (name.startsWith(EPOCH) || RecordFile.mayBegin(name));
    }

    private void forEachName(Consumer<String> action) throws IOException {
        try (var names = Files.newDirectoryStream(directory.path())) {
            names.forEach(each -> action.accept(each.getFileName().toString()));
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
    }

    /** Returns how many files were skipped. */
    public int skipped() {
        return skipped;
    }

    @Override
    public String place() {
        return directory.path().toString();
    }

    @Override
    public synchronized int bootEpoch() {
        return highestEpoch;
    }

    @Override
    public synchronized List<ClientRecord> earlier() {
        return List.copyOf(earlier.values());
    }

    @Override
    public synchronized void persist(List<ClientRecord> clients) throws IOException {
        requireOpen();
        var files = new LinkedHashMap<String, byte[]>();
        for (var each : clients) {
            files.put(RecordFile.name(each.name()), encoded(each));
        }
        long added = files.keySet().stream().filter(each -> !written.contains(each)).count();
        if (added > 0 && written.size() + added > recordsMax) {
            throw new IOException(directory.path() + " holds the most records: " + recordsMax);
        }
        directory.write(files);
        // If this fails, files may be there all the same. They then count as those of an earlier
        // start, and go with them.
        written.addAll(files.keySet());
        var old =
                clients.stream()
                        .map(each -> RecordFile.revokedName(each.name()))
                        .filter(directory::has)
                        .toList();
        if (!old.isEmpty()) {
            directory.remove(old);
            old.forEach(written::remove);
        }
    }

    /** The names tell it, so many records cost no more than one. */
    @Override
    public synchronized void revoke(List<ClientRecord> clients) throws IOException {
        requireOpen();
        var names = new LinkedHashMap<String, String>();
        var files = new LinkedHashMap<String, byte[]>();
        for (var each : clients) {
            var name = RecordFile.name(each.name());
            var revoked = RecordFile.revokedName(each.name());
            if (directory.has(name)) {
                names.put(name, revoked);
            } else if (!directory.has(revoked)) {
                files.put(revoked, encoded(each));
            }
        }
        if (!names.isEmpty()) {
            directory.rename(names);
            names.keySet().forEach(written::remove);
            written.addAll(names.values());
        }
        if (!files.isEmpty()) {
            directory.write(files);
            written.addAll(files.keySet());
        }
    }

    private byte[] encoded(ClientRecord client) throws IOException {
        var file = new RecordFile(highestEpoch, client);
        if (!file.isStorable()) {
            throw new IOException("the principal of a client is too long for a record");
        }
        return file.encode();
    }

    @Override
    public synchronized void forget(List<ClientName> clients) throws IOException {
        requireOpen();
        var names = new ArrayList<String>();
        for (var each : clients) {
            names.add(RecordFile.name(each));
            var revoked = RecordFile.revokedName(each);
            if (directory.has(revoked)) {
                names.add(revoked);
            }
        }
        directory.remove(names);
        names.forEach(written::remove);
    }

    /** Removes damaged records, too: their clients can reclaim nothing. */
    @Override
    public synchronized void forgetEarlier() throws IOException {
        requireOpen();
        var old = new ArrayList<String>();
        forEachName(
                name -> {
                    if (RecordFile.isName(name) && !written.contains(name) && isFile(name)) {
                        old.add(name);
                    }
                });
        directory.remove(old);
        earlier.clear();
    }

    private boolean isFile(String name) {
        return !Files.isDirectory(directory.path().resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("the server has stopped");
        }
    }

    /**
     * Lets another server use the directory, when a change in progress has ended.
     *
     * @throws IOException if the directory hangs, after 3 seconds; the directory stays locked until
     *     the change ends, or the process does
     */
    @Override
    public void close() throws IOException {
        isClosed = true;
        var released = new FutureTask<Void>(this::release);
        Thread.ofPlatform().name("nfs-records-end").daemon().start(released);
        try {
            released.get(end.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new IOException(directory.path() + " hangs");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IllegalStateException(failed);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Void release() throws IOException {
        lock.close();
        return null;
    }
}
