package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads the targets of symbolic links. An unreadable link is reported, and the command continues.
 */
final class LinkTexts {
    private final Output output;

    /**
     * Creates the reader.
     *
     * @param output counts and reports each unreadable link
     */
    LinkTexts(Output output) {
        this.output = output;
    }

    /**
     * Returns the target of a file if it is a symbolic link, which takes one call.
     *
     * @param path of the file, for messages; only evaluated on a failure
     * @throws RpcException if the server cannot be reached any more
     */
    Optional<PathName> of(NfsMount mount, NamedFile file, Supplier<String> path)
            throws IOException, InterruptedException {
        if (file.attributes().type() != FileType.SYMBOLIC_LINK) {
            return Optional.empty();
        }
        try {
            return Optional.of(mount.service().readLink(file.handle(), "cannot read the link"));
        } catch (NfsException refused) {
            return failed(new NfsException("cannot read the link " + path.get(), refused.status()));
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            return failed(ofOne);
        }
    }

    private Optional<PathName> failed(IOException reason) {
        output.failed(reason);
        return Optional.empty();
    }
}
