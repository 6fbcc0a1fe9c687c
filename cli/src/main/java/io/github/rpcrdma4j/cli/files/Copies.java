package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Mounts;
import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.connect.UrlPattern;
import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.IncompleteTreeException;
import io.github.rpcrdma4j.nfs.client.copy.Leftovers;
import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** The copies of one command: a mount and a copier for each export. Used by one thread. */
final class Copies implements AutoCloseable {
    private final Mounts mounts;
    private final ClientOptions options;
    private final Progress progress;
    private final PreservedAttributes kept;
    private final Map<NfsMount, Copier> copiers = new HashMap<>();
    private final boolean resumes;
    private boolean isIncomplete;
    private String current;
    private String cut;

    /**
     * Begins without a connection.
     *
     * @param resumes whether copies go on where earlier ones ended
     */
    Copies(
            Remote remote,
            ClientOptions options,
            Progress progress,
            PreservedAttributes kept,
            boolean resumes) {
        this.mounts = new Mounts(remote);
        this.options = options;
        this.progress = progress;
        this.kept = kept;
        this.resumes = resumes;
    }

    /** Copies one source. */
    interface Copy<T> {
        void run(T source) throws IOException, InterruptedException;
    }

    /**
     * Copies several sources. If there is more than one, and one fails, that is reported, and the
     * others are copied.
     */
    <T> void each(List<T> sources, Copy<T> copy) throws IOException, InterruptedException {
        for (var source : sources) {
            try {
                current = source.toString();
                copy.run(source);
                current = null;
            } catch (IncompleteTreeException _) {
                isIncomplete = true;
            } catch (RpcException ofAll) {
                // Before there is a copier, nothing was copied.
                cut = isLost(ofAll) && !copiers.isEmpty() ? source.toString() : null;
                throw ofAll;
            } catch (IOException ofOne) {
                if (sources.size() == 1) {
                    throw ofOne;
                }
                failed(ofOne);
            }
        }
    }

    /**
     * Returns the files that the user means. What hides some of them is reported.
     *
     * @throws IOException if there is one pattern, and it matches no file
     */
    List<NfsUrl> matching(List<UrlPattern> patterns) throws IOException, InterruptedException {
        var urls = new ArrayList<NfsUrl>();
        for (var pattern : patterns) {
            try {
                urls.addAll(pattern.expand(mounts, this::failed));
            } catch (RpcException ofAll) {
                throw ofAll;
            } catch (IOException ofOne) {
                if (patterns.size() == 1) {
                    throw ofOne;
                }
                failed(ofOne);
            }
        }
        return urls;
    }

    /** Reports that one of several files was not copied. */
    void failed(IOException failure) {
        progress.failed(failure);
        isIncomplete = true;
    }

    private static boolean isLost(RpcException failure) {
        return failure instanceof RpcException.Unreachable
                || failure instanceof RpcException.ConnectionLost
                || failure instanceof RpcException.TimedOut;
    }

    /** Returns the source in whose copy the server was lost, if there is one. */
    Optional<String> cut() {
        return Optional.ofNullable(cut);
    }

    /** Returns the source whose copy has begun and not ended, if there is one. */
    Optional<String> current() {
        return Optional.ofNullable(current);
    }

    /** Notes that something was not copied or removed, which was reported. */
    void setIncomplete() {
        isIncomplete = true;
    }

    /** Returns whether something was not copied, which was reported. */
    boolean isIncomplete() {
        return isIncomplete;
    }

    NfsMount mount(NfsUrl url) throws IOException, InterruptedException {
        return mounts.of(url);
    }

    /** Returns the copier for the export of a file. */
    Copier copier(NfsUrl url) throws IOException, InterruptedException {
        var mount = mounts.of(url);
        var known = copiers.get(mount);
        if (known == null) {
            known = new Copier(mount, options, progress, kept, resumes);
            copiers.put(mount, known);
        }
        return known;
    }

    /** Returns another copier for the export of a file, whose events a listener receives. */
    Copier copier(NfsUrl url, CopyListener listener) throws IOException, InterruptedException {
        return new Copier(mounts.of(url), options, listener, kept);
    }

    /** Returns what is left of interrupted copies, as the end of a message. */
    String left() {
        if (areResumable()) {
            long bytes =
                    copiers.values().stream()
                            .mapToLong(each -> each.leftovers().resumableBytes())
                            .sum();
            return "; %s of them stay, and the same command goes on from there"
                    .formatted(ByteCount.words(bytes));
        }
        if (any(Leftovers::onServer)) {
            return "; temporary files are left on the server (ls -a shows them), the next put there removes them";
        }
        return any(Leftovers::here)
                ? "; temporary files are left here, they could not be removed"
                : "; temporary files are removed";
    }

    /** Returns whether incomplete copies were kept to be resumed. */
    boolean areResumable() {
        return any(Leftovers::resumable);
    }

    private boolean any(ToIntFunction<Leftovers> kind) {
        return copiers.values().stream().anyMatch(each -> kind.applyAsInt(each.leftovers()) > 0);
    }

    @Override
    public void close() {
        mounts.close();
    }
}
