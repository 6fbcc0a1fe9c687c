package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/** All exports of a server. Thread-safe. */
final class Forest {
    private final HandleSeal seal;
    private final Map<Integer, Tree> trees = new HashMap<>();
    private final List<Tree> inOrder = new ArrayList<>();

    Forest(Collection<Export> exports, HandleSeal seal) throws IOException {
        this.seal = seal;
        for (var export : exports) {
            // The number comes from the name, so that it is the same after a restart.
            int number = number(export.name());
            var tree = new Tree(export, number, seal);
            if (trees.putIfAbsent(number, tree) != null) {
                throw new IllegalArgumentException("two exports are named " + export.name());
            }
            inOrder.add(tree);
        }
    }

    private static int number(String name) {
        var crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    List<Tree> trees() {
        return List.copyOf(inOrder);
    }

    /** The export of that name. */
    Optional<Tree> find(String name) {
        return inOrder.stream().filter(tree -> tree.export().name().equals(name)).findFirst();
    }

    /**
     * The file that a handle names.
     *
     * @throws Refusal BADHANDLE if it is not one of ours, STALE if the file is gone
     */
    Located locate(FileHandle handle) throws Refusal {
        var opened = seal.open(handle).orElseThrow(() -> new Refusal(Status.BADHANDLE));
        var tree = trees.get(opened.export());
        if (tree == null) {
            throw new Refusal(Status.STALE);
        }
        return tree.locate(opened.file(), handle);
    }

    /** A folder, or NOTDIR. */
    Located locateFolder(FileHandle handle) throws Refusal {
        var located = locate(handle);
        if (!located.attributes().isDirectory()) {
            throw new Refusal(Status.NOTDIR);
        }
        return located;
    }
}
