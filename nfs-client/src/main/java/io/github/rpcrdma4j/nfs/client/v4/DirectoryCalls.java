package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.WalkedPath;
import java.io.IOException;
import java.util.List;

/**
 * Finds files by their names in directories, and tells those that open files where they were found.
 *
 * <p>Tests: {@code FileServiceTest}, {@code RefusedPathsTest}.
 */
final class DirectoryCalls {
    private final CompoundCalls calls;
    private final RegularFiles files;
    private final Paths paths;
    private final Listings listings;
    private final RefusedPaths refusals;

    DirectoryCalls(CompoundCalls calls, RegularFiles files, Paths paths) {
        this.calls = calls;
        this.files = files;
        this.paths = paths;
        this.listings = new Listings(calls);
        this.refusals = new RefusedPaths(calls);
    }

    /**
     * Refuses a file that a listing has found, and that the server does not let this client use.
     *
     * @throws NfsException with what the server says about it
     */
    void requireUsable(FileHandle file, String what) throws IOException, InterruptedException {
        if (file.refused().isPresent()) {
            lookup(file.refused().get().place(), what);
            throw new NfsException(what, Status.NOT_SYNC);
        }
    }

    RemoteFile lookup(RemotePlace place, String what) throws IOException, InterruptedException {
        requireUsable(place.directory(), what);
        var looking = FilePlans.looking(place);
        int before = looking.operations().size();
        try {
            var found =
                    calls.run(
                            FilePlans.status(looking.handle()),
                            what,
                            results -> FileResults.file(results.done(before)));
            files.found(place, found);
            return found;
        } catch (NfsException refused) {
            throw refusals.explained(refused, RefusedPaths.Where.of(place), what);
        }
    }

    WalkedPath walk(FileHandle directory, List<FileName> names, String what)
            throws IOException, InterruptedException {
        requireUsable(directory, what);
        var walked = paths.from(directory, names, what);
        var at = directory;
        for (int i = 0; i < walked.files().size(); i++) {
            var file = walked.files().get(i);
            files.found(new RemotePlace(at, names.get(i)), file);
            at = file.handle();
        }
        return walked;
    }

    DirectoryPage list(FileHandle directory, long cookie, long verifier, Wanted wanted, String what)
            throws IOException, InterruptedException {
        requireUsable(directory, what);
        try {
            var page = listings.page(directory, cookie, verifier, wanted, what);
            for (var each : page.entries()) {
                each.file()
                        .ifPresent(
                                file -> files.found(new RemotePlace(directory, each.name()), file));
            }
            return page;
        } catch (NfsException refused) {
            throw refusals.explained(refused, RefusedPaths.Where.at(directory), what);
        }
    }
}
