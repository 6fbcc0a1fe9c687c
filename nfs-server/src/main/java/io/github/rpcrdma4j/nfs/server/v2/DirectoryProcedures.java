package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.Nothing;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Found;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import java.util.Optional;

/** The procedures on names in directories (RFC 1094, Section 2.2). */
public final class DirectoryProcedures {
    private final ListingCookies cookies = new ListingCookies();

    public DirectoryProcedures() {
        // It remembers nothing yet.
    }

    Found lookup(CallTarget directory, Place place) throws Refusal, StoreException {
        var found = directory.lookup(place.name());
        var inner = directory.innerAt(found.id());
        if (inner.isPresent()) {
            try (var root = directory.openInner(inner.get())) {
                return found(root, root.node().id(), root.node().status());
            }
        }
        return found(directory, found.id(), found.status());
    }

    private static Found found(CallTarget target, FileId file, FileStatus status) throws Refusal {
        return new Found(FileHandle.of(target.shortHandle(file)), Translation.attributes(status));
    }

    /**
     * Makes a file, which need not be regular: its mode may have a type, and its size is then the
     * number of a device, as at other servers. A regular file that exists gets the size alone.
     */
    Found create(CallTarget directory, Nfs2Call.Create call) throws Refusal, StoreException {
        directory.requireWritable();
        var wanted = call.attributes();
        var special = special(wanted);
        var caller = directory.caller();
        var name = call.place().name();
        if (special.isEmpty()) {
            var how = new Creation.Unchecked(Translation.changesOfNew(wanted, caller));
            return made(directory, directory.node().create(caller, name, how, directory.storage()));
        }
        var changes = Translation.changesOfNew(wanted.withSize(SetAttributes.KEEP), caller);
        return made(
                directory,
                directory
                        .node()
                        .makeSpecialFile(
                                caller, name, special.get(), changes, directory.storage()));
    }

    /**
     * @throws Refusal BADTYPE for a directory or a link
     */
    private static Optional<SpecialFile> special(SetAttributes wanted) throws Refusal {
        var type =
                wanted.mode() == SetAttributes.KEEP
                        ? FileType.REGULAR
                        : FileType.ofMode(wanted.mode()).orElse(FileType.REGULAR);
        int device = wanted.size();
        return switch (type) {
            case REGULAR -> Optional.empty();
            case FIFO -> Optional.of(new SpecialFile.Fifo());
            case SOCKET -> Optional.of(new SpecialFile.Socket());
            case CHARACTER_DEVICE ->
                    Optional.of(
                            device == FileAttributes.FIFO_DEVICE
                                    ? new SpecialFile.Fifo()
                                    : new SpecialFile.CharacterDevice(
                                            Translation.major(device), Translation.minor(device)));
            case BLOCK_DEVICE ->
                    Optional.of(
                            new SpecialFile.BlockDevice(
                                    Translation.major(device), Translation.minor(device)));
            case DIRECTORY, SYMBOLIC_LINK -> throw new Refusal(Failure.BADTYPE);
        };
    }

    Found makeDirectory(CallTarget directory, Nfs2Call.MakeDirectory call)
            throws Refusal, StoreException {
        directory.requireWritable();
        return made(
                directory,
                directory
                        .node()
                        .makeDirectory(
                                directory.caller(),
                                call.place().name(),
                                changes(directory, call.attributes()),
                                directory.storage()));
    }

    /** Returns what a new file without a size gets. */
    private static AttributeChanges changes(CallTarget directory, SetAttributes wanted)
            throws Refusal {
        return Translation.changesOfNew(wanted.withSize(SetAttributes.KEEP), directory.caller());
    }

    private static Found made(CallTarget directory, Changed<Made> changed) throws Refusal {
        var made = changed.value().made().orElseThrow(() -> new Refusal(Failure.STALE));
        return found(directory, made.id(), made.status());
    }

    Nothing makeLink(CallTarget directory, Nfs2Call.MakeSymbolicLink call)
            throws Refusal, StoreException {
        directory.requireWritable();
        if (!call.text().isLinkText()) {
            throw new Refusal(Failure.INVAL);
        }
        directory
                .node()
                .makeSymbolicLink(
                        directory.caller(),
                        call.place().name(),
                        call.text().bytes(),
                        changes(directory, call.attributes()),
                        directory.storage());
        return Nothing.NOTHING;
    }

    Nothing remove(CallTarget directory, Place place) throws Refusal, StoreException {
        directory.requireWritable();
        directory.requireMovable(place.name());
        directory.node().remove(directory.caller(), place.name(), directory.storage());
        return Nothing.NOTHING;
    }

    Nothing removeDirectory(CallTarget directory, Place place) throws Refusal, StoreException {
        directory.requireWritable();
        directory.requireMovable(place.name());
        directory.node().removeDirectory(directory.caller(), place.name(), directory.storage());
        return Nothing.NOTHING;
    }

    Nothing rename(CallTarget from, CallTarget to, Nfs2Call.Rename call)
            throws Refusal, StoreException {
        from.requireSameExport(to);
        from.requireWritable();
        from.requireMovable(call.from().name());
        to.requireMovable(call.to().name());
        from.node()
                .rename(
                        from.caller(),
                        call.from().name(),
                        to.node(),
                        call.to().name(),
                        from.storage());
        return Nothing.NOTHING;
    }

    Nothing link(CallTarget file, CallTarget directory, Nfs2Call.Link call)
            throws Refusal, StoreException {
        file.requireSameExport(directory);
        directory.requireWritable();
        directory
                .node()
                .link(directory.caller(), file.node(), call.place().name(), directory.storage());
        return Nothing.NOTHING;
    }

    /** Returns the next page of a directory. */
    DirectoryPage list(CallTarget directory, Nfs2Call.ReadDirectory call)
            throws Refusal, StoreException {
        var page = new DirectoryPageBuilder(call.count());
        long cookie = cookies.find(directory, call.cookie());
        directory.node().list(directory.caller(), cookie, false, page);
        cookies.remember(directory, page.lastCookie());
        return page.page();
    }
}
