package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.Exported.ALL_SQUASHED;
import static io.github.rpcrdma4j.interop.access.Exported.OPEN;
import static io.github.rpcrdma4j.interop.access.Exported.SQUASHED;
import static io.github.rpcrdma4j.interop.access.Operation.access;
import static io.github.rpcrdma4j.interop.access.Operation.create;
import static io.github.rpcrdma4j.interop.access.Operation.createExclusive;
import static io.github.rpcrdma4j.interop.access.Operation.mkdir;
import static io.github.rpcrdma4j.interop.access.Operation.mknod;
import static io.github.rpcrdma4j.interop.access.Operation.read;
import static io.github.rpcrdma4j.interop.access.Operation.setattr;
import static io.github.rpcrdma4j.interop.access.Operation.symlink;
import static io.github.rpcrdma4j.interop.access.Operation.write;

import io.github.rpcrdma4j.nfs.FileType;
import java.util.List;

/** Cases of users and groups with extreme 32-bit ids. */
record IdentityCases(Cases cases) {
    private static final int[] EDGES = {0, 1, 65534, Integer.MIN_VALUE, -2, -1};

    void add() {
        group();
        for (int edge : EDGES) {
            edge(edge);
        }
    }

    private void group() {
        cases.group("identity");
    }

    private void edge(int edge) {
        var word = Integer.toUnsignedString(edge);
        var user = Caller.of("uid-" + word, edge, 1000);
        var first = Caller.of("gid-" + word, 1003, edge);
        var further = Caller.of("in-" + word, 1003, 1003, edge);
        // No file can belong to the id 2^32 - 1, so root owns the file instead.
        int owner = edge == -1 ? 0 : edge;
        var parent = directory("d", 0, 0, 0777);
        for (var export : List.of(OPEN, SQUASHED)) {
            for (var caller : List.of(user, first, further)) {
                cases.add("create", export, caller, create("d/n", Change.mode(06777)), parent);
                cases.add("mkdir", export, caller, mkdir("d/n", Change.mode(0755)), parent);
                cases.add(
                        "chmod own",
                        export,
                        caller,
                        setattr("f", Change.mode(06755)),
                        file("f", owner, owner, 0644));
                cases.add("write own", export, caller, write("f"), file("f", owner, owner, 0660));
                cases.add("access own", export, caller, access("f"), file("f", owner, owner, 0750));
            }
            cases.add("read nobody's", export, user, read("f"), file("f", 65534, 65534, 0600));
            cases.add("symlink", export, user, symlink("d/n", "x", Change.NONE), parent);
            cases.add(
                    "mknod", export, user, mknod("d/n", FileType.FIFO, Change.mode(0644)), parent);
        }
        cases.add("create", ALL_SQUASHED, user, create("d/n", Change.mode(06777)), parent);
        cases.add("create exclusive", user, createExclusive("d/n"), parent);
    }
}
