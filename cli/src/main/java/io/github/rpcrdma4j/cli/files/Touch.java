package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.TimeText;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the times of files on a server, and makes missing files. */
@Command(
        name = "touch",
        description = "Set the times of files on a server to now; a missing file is made empty.",
        footer = {"", "Example: rpcrdma touch -d 2026-01-31T12:00 rdma://server/export/file"})
public final class Touch extends FilesCommand {
    private static final int NEW_FILE = 0666;

    @Option(
            names = {"-c", "--no-create"},
            description = "Leave out files that are not there.")
    private boolean existing;

    @Option(
            names = {"-d", "--date"},
            paramLabel = "TIME",
            description = "Set this time: " + TimeText.FORMS + ".")
    private String date;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    /** The server's clock gives the current time, so that users who may only write can set it. */
    private TimeChange time = new TimeChange.Now();

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        if (date != null) {
            time = new TimeChange.To(TimeText.parse(date));
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        requirePossible(mount.service());
        var path = url.path();
        var found = mount.target(path);
        if (found.file().isEmpty()) {
            if (existing) {
                return;
            }
            if (url.isDirectory()) {
                throw new NfsException("cannot touch " + url, Status.NOENT);
            }
        } else {
            requireDirectory(url, found.file().get(), "cannot touch");
        }
        var file =
                found.file().isPresent()
                        ? found.file().get()
                        : mount.makeFile(path, NEW_FILE & ~Umask.current());
        mount.change(
                file.handle(),
                AttributeChanges.NONE.withTimes(time, time),
                "cannot set the times of " + path.escaped());
        changed(mount, path);
    }

    /** Refuses a time that the version of NFS cannot express, before a file is made for it. */
    private void requirePossible(FileService service) {
        if (time instanceof TimeChange.To(var wanted)
                && service.nearest(wanted).getEpochSecond() != wanted.getEpochSecond()) {
            throw new IllegalArgumentException(
                    "NFS version "
                            + service.version().words()
                            + " has no times before 1970 and after 2106");
        }
    }
}
