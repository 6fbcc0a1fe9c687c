package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileXattrs;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.XattrRule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Shows and changes the extended attributes of files on a server, as xattr(1) of macOS does. Names
 * are those of Linux.
 *
 * <p>Tests: {@code XattrTest}.
 */
@Command(
        name = "xattr",
        description = {
            "Show or change the extended attributes of files on a server.",
            "Without -p, -w, -d or -c it lists their names. They begin with user. as on Linux.",
            "A URL of a link means the file that it leads to."
        },
        footer = {"", "Example: rpcrdma xattr -w user.origin lab7 rdma://server/export/file"})
public final class Xattr extends FilesCommand {
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ").withUpperCase();

    @Option(
            names = {"-p", "--print"},
            description = "Print the value of the attribute NAME.")
    private boolean prints;

    @Option(
            names = {"-w", "--write"},
            description = "Give the files the attribute NAME with this VALUE.")
    private boolean writes;

    @Option(
            names = {"-d", "--delete"},
            description = "Remove the attribute NAME.")
    private boolean deletes;

    @Option(
            names = {"-c", "--clear"},
            description = "Remove all attributes of users.")
    private boolean clears;

    @Option(
            names = {"-l", "--long"},
            description = "Show names and values.")
    private boolean isLong;

    @Option(
            names = {"-x", "--hex"},
            description = "Values are hexadecimal, on output and with -w; blanks do not count.")
    private boolean isHex;

    @Parameters(
            arity = "1..*",
            paramLabel = "[NAME [VALUE]] URL",
            description =
                    "NAME with -p, -w and -d; VALUE with -w; rdma://host[:port]/export/path, or"
                            + " nfs:// over TCP.")
    private List<String> words;

    private List<String> urls = List.of();
    private FileName name;
    private byte[] value;

    /** Whether each line begins with the file. */
    private boolean namesFiles;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void matched(List<NfsUrl> files) {
        namesFiles |= files.size() > 1;
    }

    @Override
    void prepare() {
        requireOneWork();
        int before = writes ? 2 : prints || deletes ? 1 : 0;
        if (words.size() <= before) {
            throw new IllegalArgumentException(
                    "a URL is missing behind the " + (writes ? "name and the value" : "name"));
        }
        name = before > 0 ? name(words.getFirst()) : null;
        value = writes ? value(words.get(1)) : null;
        urls = words.subList(before, words.size());
        namesFiles = urls.size() > 1;
        remote.setUsualVersions(List.of(NfsVersion.VERSION_4_2));
    }

    private void requireOneWork() {
        int works = 0;
        for (boolean each : new boolean[] {prints, writes, deletes, clears}) {
            works += each ? 1 : 0;
        }
        if (works > 1) {
            throw new IllegalArgumentException("only one of -p, -w, -d and -c can be done");
        }
        if (isLong && (writes || deletes || clears)) {
            throw new IllegalArgumentException("-l shows attributes, and changes none");
        }
        if (isHex && (deletes || clears)) {
            throw new IllegalArgumentException("-x is for values, and no value is needed");
        }
        if (isHex && !prints && !writes && !isLong) {
            throw new IllegalArgumentException("-x is for values: add -l or -p to see them");
        }
    }

    private static FileName name(String word) {
        var prefix = UserXattrs.PREFIX;
        if (!word.startsWith(prefix) || word.length() == prefix.length()) {
            throw new IllegalArgumentException(
                    "a server has attributes of users alone, whose names begin with "
                            + prefix
                            + ": not "
                            + word);
        }
        return new FileName(RawText.bytes(word.substring(prefix.length())));
    }

    private byte[] value(String word) {
        if (!isHex) {
            return RawText.bytes(word);
        }
        try {
            return HexFormat.of().parseHex(word.replaceAll("\\s", ""));
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("not hexadecimal: " + word);
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var file = resolve(mount, url, true, "cannot stat").handle();
        var xattrs = mount.service().xattrs();
        var path = url.path().escaped();
        if (writes) {
            xattrs.set(file, name, value, XattrRule.EITHER, what("cannot set ", name, path));
        } else if (deletes) {
            xattrs.remove(file, name, what("cannot remove ", name, path));
        } else if (clears) {
            clear(xattrs, file, path);
        } else {
            show(xattrs, file, url);
            return;
        }
        changed(mount, url.path());
    }

    private static String what(String start, FileName name, String path) {
        return start + UserXattrs.PREFIX + name.escaped() + " of " + path;
    }

    private static void clear(FileXattrs xattrs, FileHandle file, String path)
            throws IOException, InterruptedException {
        for (var each : xattrs.names(file, "cannot list the attributes of " + path)) {
            try {
                xattrs.remove(file, each, what("cannot remove ", each, path));
            } catch (NfsException gone) {
                if (gone.status() != Status.NOXATTR) {
                    throw gone;
                }
            }
        }
    }

    private void show(FileXattrs xattrs, FileHandle file, NfsUrl url)
            throws IOException, InterruptedException {
        var path = url.path().escaped();
        var names =
                prints
                        ? List.of(name)
                        : xattrs.names(file, "cannot list the attributes of " + path);
        var start = namesFiles ? output.names().of(url.path()) + ": " : "";
        var values = new LinkedHashMap<String, Object>();
        for (var each : names) {
            var shown = UserXattrs.PREFIX + RawText.of(each.bytes());
            var text = "";
            if (prints || isLong) {
                text = text(xattrs.value(file, each, what("cannot read ", each, path)));
            }
            values.put(shown, text);
            if (!output.isJson()) {
                output.line(start + line(output.names().of(shown), text));
            }
        }
        if (output.isJson()) {
            var json = new LinkedHashMap<String, Object>();
            json.put("path", RawText.of(url.path().bytes()));
            json.put("xattrs", prints || isLong ? values : new ArrayList<>(values.keySet()));
            output.element(json);
        }
    }

    private String line(String shown, String text) {
        if (!prints && !isLong) {
            return shown;
        }
        // A value is shown as it is, but for what a terminal would obey.
        var safe = isHex || !output.names().quotes() ? text : Printable.line(text);
        return isLong ? shown + ": " + safe : safe;
    }

    /** Returns a value as {@link RawText} or in hexadecimal. */
    private String text(byte[] bytes) {
        return isHex ? HEX.formatHex(bytes) : RawText.of(bytes);
    }
}
