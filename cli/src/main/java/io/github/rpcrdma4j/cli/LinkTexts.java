package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.Named;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.Supplier;

/** Asks where links lead. A link that cannot be read is named, and the command goes on. */
final class LinkTexts {
    private final PrintWriter err;
    private long failures;

    /**
     * @param err where a link is named
     */
    LinkTexts(PrintWriter err) {
        this.err = err;
    }

    /**
     * The text of a file that is a link, by one call.
     *
     * @param path of the file, for messages; only asked for if it is a link
     * @throws RpcException if nothing more can be asked of the server
     */
    Optional<PathName> of(NfsMount mount, Named file, Supplier<String> path)
            throws IOException, InterruptedException {
        if (file.attributes().type() != FileType.SYMBOLIC_LINK) {
            return Optional.empty();
        }
        try {
            return Optional.of(mount.client().readLink(file.handle()));
        } catch (NfsException refused) {
            return failed(new NfsException("cannot read the link " + path.get(), refused.status()));
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            return failed(ofOne);
        }
    }

    private Optional<PathName> failed(IOException reason) {
        failures++;
        err.println("rpcrdma: " + Rpcrdma.oneLine(reason));
        return Optional.empty();
    }

    /** How many links were named. */
    long failures() {
        return failures;
    }
}
