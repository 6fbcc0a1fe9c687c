package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: READDIR tells of an entry that it cannot describe, or fails if the client does not want to
 * know (RFC 8881, Section 18.23.3).
 */
class ListingErrorsTest {
    private static List<String> errors(CompoundClient client, String path) throws Exception {
        var wanted = readDir(0, 4096, Attribute.RDATTR_ERROR, Attribute.TYPE, Attribute.FILEID);
        var listing = (NameResult.ReadDir) client.last(fromRoot(path, wanted));
        var errors = new ArrayList<String>();
        for (var each : listing.entries()) {
            int status = ReadAttributes.decode(each.attributes()).word(Attribute.RDATTR_ERROR);
            errors.add(each.name() + " " + status);
        }
        return errors;
    }

    @Test
    void entriesOfADirectoryThatTheCallerMayNotSearchHaveNoAttributes() throws Exception {
        try (var served = ServedUser.start()) {
            var directory = Files.createDirectory(served.path("directory"));
            Files.createFile(directory.resolve("file"));
            Files.setAttribute(directory, "unix:mode", 0744);
            var client = served.client();
            assertEquals(
                    List.of("file " + Nfs4Status.ACCESS.number()),
                    errors(client, "export/directory"));
            var type = readDir(0, 4096, Attribute.TYPE);
            assertEquals(Nfs4Status.ACCESS, client.status(at("directory", type)));
            var number = readDir(0, 4096, Attribute.FILEID);
            assertEquals(Nfs4Status.OK, client.status(at("directory", number)));
            client.become(CompoundClient.ROOT);
            assertEquals(List.of("file 0"), errors(client, "export/directory"));
        }
    }

    @Test
    void anExportWhoseDirectoryIsGoneHidesNoOther() throws Exception {
        try (var directory = TestDirectory.of(TestDirectory.Kind.BASIC)) {
            var exports = new ArrayList<Export>();
            for (var name : List.of("one", "two")) {
                var root = Files.createDirectory(directory.root().resolve(name));
                exports.add(new Export("/" + name, root, false));
            }
            try (var server = TestServer.of(exports)) {
                var client = CompoundClient.of(server, "client");
                Files.delete(directory.root().resolve("one"));
                assertEquals(
                        List.of("one " + Nfs4Status.STALE.number(), "two 0"), errors(client, ""));
                var type = readDir(0, 4096, Attribute.TYPE);
                assertEquals(Nfs4Status.STALE, client.status(fromRoot("", type)));
            }
        }
    }
}
