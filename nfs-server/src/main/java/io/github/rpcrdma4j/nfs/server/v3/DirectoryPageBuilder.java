package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage.Entry;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Collects the entries of a READDIR or READDIRPLUS reply until its limits are reached. The limits
 * count all bytes of the result but its status (RFC 1813, Sections 3.3.16 and 3.3.17).
 */
final class DirectoryPageBuilder implements EntrySink {
    /** The longest page, even if a client allows a longer one. */
    private static final long PAGE_MAX = 1 << 20;

    private final CallTarget directory;
    private final boolean plus;
    private final ArrayList<Entry> entries = new ArrayList<>();

    /** By the index of their entry, the exports that begin there. */
    private final Map<Integer, OpenExport> roots = new HashMap<>();

    /** What the entry of the parent names. */
    private Optional<FileId> parent = Optional.empty();

    private long plainLeft;
    private long fullLeft;
    private boolean ended;

    DirectoryPageBuilder(CallTarget directory, int plainMax, int fullMax, boolean plus) {
        long full = Math.min(Integer.toUnsignedLong(fullMax), PAGE_MAX);
        this.directory = directory;
        this.plus = plus;
        this.plainLeft = plus ? Integer.toUnsignedLong(plainMax) : full;
        this.fullLeft = full - DirectoryPage.EMPTY_BYTES;
    }

    @Override
    public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> found) {
        var inner = found.flatMap(file -> directory.innerAt(file.id()));
        var entry =
                new Entry(
                        number,
                        name,
                        cookie,
                        found.map(file -> StatusTranslation.attributes(file.status())),
                        inner.isPresent()
                                ? inner.map(this::handle)
                                : found.map(file -> directory.handle(file.id())));
        int bytes = plus ? entry.fullBytes() : entry.plainBytes();
        boolean first = entries.isEmpty();
        // The limit of dircount is only a hint and never excludes the first entry.
        if (bytes > fullLeft || !first && entry.plainBytes() > plainLeft) {
            return false;
        }
        fullLeft -= bytes;
        plainLeft -= entry.plainBytes();
        inner.ifPresent(export -> roots.put(entries.size(), export));
        if (name.equals(FileName.PARENT)) {
            parent = found.map(file -> file.id());
        }
        entries.add(entry);
        return true;
    }

    private FileHandle handle(OpenExport inner) {
        return directory.exports().handle(inner, inner.store().root());
    }

    /** Describes the root of an export inside this one as far as its own rule allows. */
    private Entry described(Entry entry, OpenExport inner) {
        try (var root = directory.openInner(inner)) {
            var attributes = StatusTranslation.attributes(root.node().status());
            return new Entry(
                    entry.fileId(),
                    entry.name(),
                    entry.cookie(),
                    Optional.of(attributes),
                    entry.handle());
        } catch (Refusal | StoreException _) {
            return bare(entry);
        }
    }

    private static Entry bare(Entry entry) {
        return new Entry(
                entry.fileId(), entry.name(), entry.cookie(), Optional.empty(), Optional.empty());
    }

    private boolean isHidden(FileId above) {
        try {
            return directory.isInsideInner(above);
        } catch (StoreException _) {
            // It is not in this export any more.
            return true;
        }
    }

    @Override
    public void end() {
        ended = true;
    }

    /**
     * @throws Refusal TOOSMALL if not even one entry fits
     */
    DirectoryPage page() throws Refusal {
        if (entries.isEmpty() && !ended) {
            throw new Refusal(Failure.TOOSMALL);
        }
        for (var root : roots.entrySet()) {
            int index = root.getKey();
            entries.set(index, described(entries.get(index), root.getValue()));
        }
        if (parent.isPresent() && isHidden(parent.get())) {
            entries.replaceAll(each -> each.name().equals(FileName.PARENT) ? bare(each) : each);
        }
        // Cookies stay valid forever, so their verifier never changes.
        return new DirectoryPage(0, entries, ended);
    }
}
