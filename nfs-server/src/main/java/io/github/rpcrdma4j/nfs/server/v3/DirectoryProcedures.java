package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.util.Optional;

/** The procedures on names in directories (RFC 1813, Sections 3.3.3 and 3.3.8 to 3.3.17). */
public final class DirectoryProcedures {
    Ok<Optional<FileAttributes>, Nfs3Results.Found> lookup(
            CallTarget directory, Nfs3Call.DirOpArgs what) throws Refusal, StoreException {
        var found = directory.lookup(what.name());
        var after = Optional.of(StatusTranslation.attributes(found.directory()));
        var inner = directory.innerAt(found.id());
        if (inner.isPresent()) {
            try (var root = directory.openInner(inner.get())) {
                return new Ok<>(after, found(root, root.node().id(), root.node().status()));
            }
        }
        return new Ok<>(after, found(directory, found.id(), found.status()));
    }

    private static Nfs3Results.Found found(CallTarget target, FileId file, FileStatus status) {
        return new Nfs3Results.Found(
                target.handle(file), Optional.of(StatusTranslation.attributes(status)));
    }

    Ok<WccData, Nfs3Results.Created> create(CallTarget directory, Nfs3Call.Create call)
            throws Refusal, StoreException {
        directory.requireWritable();
        var caller = directory.caller();
        var how =
                switch (call.mode()) {
                    case CreateMode.Unchecked(var wanted) ->
                            new Creation.Unchecked(StatusTranslation.changesOfNew(wanted, caller));
                    case CreateMode.Guarded(var wanted) ->
                            new Creation.Guarded(StatusTranslation.changesOfNew(wanted, caller));
                    case CreateMode.Exclusive(var verifier) -> new Creation.Exclusive(verifier);
                };
        return made(
                directory,
                directory.node().create(caller, call.where().name(), how, directory.storage()));
    }

    Ok<WccData, Nfs3Results.Created> makeDirectory(
            CallTarget directory, Nfs3Call.MakeDirectory call) throws Refusal, StoreException {
        directory.requireWritable();
        var caller = directory.caller();
        return made(
                directory,
                directory
                        .node()
                        .makeDirectory(
                                caller,
                                call.where().name(),
                                StatusTranslation.changesOfNew(call.attributes(), caller),
                                directory.storage()));
    }

    Ok<WccData, Nfs3Results.Created> makeLink(CallTarget directory, Nfs3Call.MakeSymbolicLink call)
            throws Refusal, StoreException {
        directory.requireWritable();
        var caller = directory.caller();
        if (!call.text().isLinkText()) {
            throw new Refusal(Failure.INVAL);
        }
        return made(
                directory,
                directory
                        .node()
                        .makeSymbolicLink(
                                caller,
                                call.where().name(),
                                call.text().bytes(),
                                StatusTranslation.changesOfNew(call.attributes(), caller),
                                directory.storage()));
    }

    Ok<WccData, Nfs3Results.Created> makeNode(CallTarget directory, Nfs3Call.MakeNode call)
            throws Refusal, StoreException {
        directory.requireWritable();
        int major = (int) (call.device() >>> Integer.SIZE);
        int minor = (int) call.device();
        var file =
                switch (call.type()) {
                    case FIFO -> new SpecialFile.Fifo();
                    case SOCKET -> new SpecialFile.Socket();
                    case CHARACTER_DEVICE -> new SpecialFile.CharacterDevice(major, minor);
                    case BLOCK_DEVICE -> new SpecialFile.BlockDevice(major, minor);
                    case REGULAR, DIRECTORY, SYMBOLIC_LINK -> throw new Refusal(Failure.BADTYPE);
                };
        var caller = directory.caller();
        return made(
                directory,
                directory
                        .node()
                        .makeSpecialFile(
                                caller,
                                call.where().name(),
                                file,
                                StatusTranslation.changesOfNew(call.attributes(), caller),
                                directory.storage()));
    }

    private static Ok<WccData, Nfs3Results.Created> made(
            CallTarget directory, Changed<Made> changed) {
        var made = changed.value().made();
        return new Ok<>(
                StatusTranslation.wcc(changed),
                new Nfs3Results.Created(
                        made.map(entry -> directory.handle(entry.id())),
                        made.map(entry -> StatusTranslation.attributes(entry.status()))));
    }

    Ok<WccData, Nothing> remove(CallTarget directory, Nfs3Call.DirOpArgs object)
            throws Refusal, StoreException {
        directory.requireWritable();
        directory.requireMovable(object.name());
        var changed =
                directory.node().remove(directory.caller(), object.name(), directory.storage());
        return new Ok<>(StatusTranslation.wcc(changed), Nothing.NOTHING);
    }

    Ok<WccData, Nothing> removeDirectory(CallTarget directory, Nfs3Call.DirOpArgs object)
            throws Refusal, StoreException {
        directory.requireWritable();
        directory.requireMovable(object.name());
        var changed =
                directory
                        .node()
                        .removeDirectory(directory.caller(), object.name(), directory.storage());
        return new Ok<>(StatusTranslation.wcc(changed), Nothing.NOTHING);
    }

    Ok<TwoWcc, Nothing> rename(CallTarget from, CallTarget to, Nfs3Call.Rename call)
            throws Refusal, StoreException {
        from.requireSameExport(to);
        from.requireWritable();
        from.requireMovable(call.from().name());
        to.requireMovable(call.to().name());
        var changed =
                from.node()
                        .rename(
                                from.caller(),
                                call.from().name(),
                                to.node(),
                                call.to().name(),
                                from.storage());
        return new Ok<>(
                new TwoWcc(StatusTranslation.wcc(changed), StatusTranslation.wcc(changed.value())),
                Nothing.NOTHING);
    }

    Ok<FileAndWcc, Nothing> link(CallTarget file, CallTarget directory, Nfs3Call.Link call)
            throws Refusal, StoreException {
        file.requireSameExport(directory);
        directory.requireWritable();
        var changed =
                directory
                        .node()
                        .link(
                                directory.caller(),
                                file.node(),
                                call.link().name(),
                                directory.storage());
        return new Ok<>(
                new FileAndWcc(
                        Optional.of(StatusTranslation.attributes(changed.value())),
                        StatusTranslation.wcc(changed)),
                Nothing.NOTHING);
    }

    /**
     * Returns the next page of a directory.
     *
     * @param cookie of the entry after which the page begins
     * @param plainMax the most bytes of the entries without attributes and handles, unsigned
     * @param fullMax the most bytes of the whole result, unsigned
     * @param plus whether to return attributes and handles
     */
    Ok<Optional<FileAttributes>, DirectoryPage> list(
            CallTarget directory, long cookie, int plainMax, int fullMax, boolean plus)
            throws Refusal, StoreException {
        var page = new DirectoryPageBuilder(directory, plainMax, fullMax, plus);
        var after = directory.node().list(directory.caller(), cookie, plus, page);
        return new Ok<>(Optional.of(StatusTranslation.attributes(after)), page.page());
    }
}
