package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.util.Optional;

/** The calls of one caller: from calls to operations, and from what they throw to statuses. */
final class Nfs3Calls {
    private final Forest whole;
    private final InetSocketAddress address;
    private final SecurityFlavor flavor;
    private final Forest forest;
    private final Operations operations;

    /** What can be done with files, whoever calls. */
    record Operations(
            FileOperations files,
            DataOperations data,
            FolderOperations folders,
            ListingOperations listings,
            FileSystemOperations fileSystems) {}

    /**
     * @param whole all trees
     * @param address of the caller
     * @param flavor of its calls
     */
    Nfs3Calls(
            Forest whole, InetSocketAddress address, SecurityFlavor flavor, Operations operations) {
        this.whole = whole;
        this.address = address;
        this.flavor = flavor;
        this.forest = whole.seenFrom(address, flavor, false);
        this.operations = operations;
    }

    /** The trees for calls that a mounting client makes. */
    private Forest mounting() {
        return whole.seenFrom(address, flavor, true);
    }

    /**
     * Carries out a call and writes its results.
     *
     * @param caller a user, or nobody
     * @param pool for bulk results
     */
    <A, T> void answer(Nfs3Call<A, T> call, Credential caller, SegmentPool pool, XdrWriter results)
            throws InterruptedException {
        Nfs3Reply<A, T> reply;
        try {
            reply = carryOut(call, caller, pool);
        } catch (ClosedByInterruptException interrupted) {
            Thread.interrupted();
            throw new InterruptedException("the transfer was interrupted");
        } catch (Refusal | IOException | RuntimeException failure) {
            reply = new Nfs3Reply.Failed<>(Refusal.of(failure), attributesAfterFailure(call));
        }
        call.replyForm().encode(results, reply);
    }

    /** Every arm gives the reply that belongs to its call; the types of Java cannot say so. */
    @SuppressWarnings("unchecked")
    private <A, T> Nfs3Reply<A, T> carryOut(
            Nfs3Call<A, T> call, Credential caller, SegmentPool pool) throws Refusal, IOException {
        return (Nfs3Reply<A, T>) carryOutAny(call, caller, pool);
    }

    private Nfs3Reply<?, ?> carryOutAny(Nfs3Call<?, ?> call, Credential caller, SegmentPool pool)
            throws Refusal, IOException {
        return switch (call) {
            case Nfs3Call.GetAttributes(var file) ->
                    mounting().at(file, operations.files::getAttributes);
            case Nfs3Call.ChangeAttributes change ->
                    forest.change(
                            change.file(),
                            file -> operations.files.changeAttributes(file, change, caller));
            case Nfs3Call.OnName<?, ?> onName -> carryOut(onName, caller);
            case Nfs3Call.Access access ->
                    forest.at(access.file(), file -> operations.files.access(file, access, caller));
            case Nfs3Call.ReadLink(var link) ->
                    forest.at(link, file -> operations.files.readLink(file, pool));
            case Nfs3Call.Read read -> operations.data.read(forest, read, caller, pool);
            case Nfs3Call.Write write -> operations.data.write(forest, write, caller);
            case Nfs3Call.Commit commit -> operations.data.commit(forest, commit, caller);
            case Nfs3Call.ReadDirectory(var folder, var cookie, _, var count) ->
                    forest.atFolder(
                            folder,
                            at ->
                                    operations.listings.list(
                                            at, cookie, count, count, false, caller));
            case Nfs3Call.ReadDirectoryPlus(var folder, var cookie, _, var plain, var full) ->
                    forest.atFolder(
                            folder,
                            at -> operations.listings.list(at, cookie, plain, full, true, caller));
            case Nfs3Call.SpaceOf(var root) -> forest.at(root, operations.fileSystems::space);
            case Nfs3Call.InfoOf(var root) -> mounting().at(root, operations.fileSystems::info);
            case Nfs3Call.PathConfigurationOf(var file) ->
                    forest.at(file, operations.fileSystems::pathConfiguration);
        };
    }

    private Nfs3Reply<?, ?> carryOut(Nfs3Call.OnName<?, ?> call, Credential caller)
            throws Refusal, IOException {
        return switch (call) {
            case Nfs3Call.Lookup(var place) ->
                    forest.atFolder(
                            place.directory(),
                            folder ->
                                    operations.folders.lookup(
                                            folder, Tree.text(place.name()), caller));
            case Nfs3Call.Create create ->
                    forest.changeFolder(
                            create.place().directory(),
                            folder -> operations.folders.create(folder, create, caller));
            case Nfs3Call.MakeDirectory make ->
                    forest.changeFolder(
                            make.place().directory(),
                            folder -> operations.folders.makeFolder(folder, make, caller));
            case Nfs3Call.MakeSymbolicLink make ->
                    forest.changeFolder(
                            make.place().directory(),
                            folder -> operations.folders.makeLink(folder, make, caller));
            case Nfs3Call.MakeNode make ->
                    forest.atFolder(make.place().directory(), operations.folders::makeNode);
            case Nfs3Call.Remove(var place) ->
                    forest.changeFolder(
                            place.directory(),
                            folder ->
                                    operations.folders.remove(
                                            folder, Tree.text(place.name()), false, caller));
            case Nfs3Call.RemoveDirectory(var place) ->
                    forest.changePaths(
                            place.directory(),
                            folder ->
                                    operations.folders.remove(
                                            folder, Tree.text(place.name()), true, caller));
            case Nfs3Call.Rename(var old, var fresh) ->
                    forest.changePaths(
                            old.directory(),
                            fresh.directory(),
                            (from, to) ->
                                    operations.folders.rename(
                                            from,
                                            Tree.text(old.name()),
                                            to,
                                            Tree.text(fresh.name()),
                                            caller));
            case Nfs3Call.Link(var file, var place) ->
                    forest.changeFolder(
                            file,
                            place.directory(),
                            (linked, folder) ->
                                    operations.folders.link(
                                            linked, folder, Tree.text(place.name()), caller));
        };
    }

    /** What a failure says of the files that it touched; every arm has its call's attributes. */
    @SuppressWarnings("unchecked")
    private <A, T> A attributesAfterFailure(Nfs3Call<A, T> call) {
        Object attributes =
                switch (call) {
                    case Nfs3Call.GetAttributes _ -> Nothing.NOTHING;
                    case Nfs3Call.ChangeAttributes(var file, _, _) -> wcc(file);
                    case Nfs3Call.Lookup(var place) -> now(place.directory());
                    case Nfs3Call.Access(var file, _) -> now(file);
                    case Nfs3Call.ReadLink(var link) -> now(link);
                    case Nfs3Call.Read(var file, _, _) -> now(file);
                    case Nfs3Call.Write(var file, _, _, _) -> wcc(file);
                    case Nfs3Call.Create(var place, _) -> wcc(place.directory());
                    case Nfs3Call.MakeDirectory(var place, _) -> wcc(place.directory());
                    case Nfs3Call.MakeSymbolicLink(var place, _, _) -> wcc(place.directory());
                    case Nfs3Call.MakeNode(var place, _, _, _) -> wcc(place.directory());
                    case Nfs3Call.Remove(var place) -> wcc(place.directory());
                    case Nfs3Call.RemoveDirectory(var place) -> wcc(place.directory());
                    case Nfs3Call.Rename(var from, var to) ->
                            new TwoWcc(wcc(from.directory()), wcc(to.directory()));
                    case Nfs3Call.Link(var file, var place) ->
                            new FileAndWcc(now(file), wcc(place.directory()));
                    case Nfs3Call.ReadDirectory(var folder, _, _, _) -> now(folder);
                    case Nfs3Call.ReadDirectoryPlus(var folder, _, _, _, _) -> now(folder);
                    case Nfs3Call.SpaceOf(var root) -> now(root);
                    case Nfs3Call.InfoOf(var root) -> now(root);
                    case Nfs3Call.PathConfigurationOf(var file) -> now(file);
                    case Nfs3Call.Commit(var file, _, _) -> wcc(file);
                };
        return (A) attributes;
    }

    private Optional<FileAttributes> now(FileHandle handle) {
        try {
            return forest.at(handle, file -> Optional.of(file.file()));
        } catch (Refusal | IOException _) {
            return Optional.empty();
        }
    }

    /** After a failure it is not known what the file was before. */
    private WccData wcc(FileHandle handle) {
        return new WccData(Optional.empty(), now(handle));
    }
}
