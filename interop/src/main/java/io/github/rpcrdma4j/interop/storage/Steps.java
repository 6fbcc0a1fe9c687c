package io.github.rpcrdma4j.interop.storage;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;

/**
 * Makes changes of files, one after another, and keeps the file tree that the replies promise. For
 * use by one thread.
 */
public final class Steps {
    private static final int CONTENT_MAX = 20_000;
    private static final int DEVICE_MINORS = 200;
    private static final List<String> DIRECTORIES = List.of("one", "two");

    /** A kind of change; its reply promises that the change is on storage. */
    public enum Kind {
        CREATE_UNCHECKED,
        CREATE_GUARDED,
        CREATE_EXCLUSIVE,
        MKDIR,
        SYMLINK,
        MKNOD_FIFO,
        MKNOD_DEVICE,
        LINK,
        RENAME,
        RENAME_ACROSS,
        RENAME_OVER,
        RENAME_DIRECTORY,
        REMOVE,
        RMDIR,
        SETATTR_MODE,
        SETATTR_OWNER,
        SETATTR_SIZE,
        SETATTR_TIMES,
        WRITE_DATA_SYNC,
        WRITE_FILE_SYNC,
        WRITE_COMMIT
    }

    /** A file, shared by its hard links. */
    private static final class File {
        FileState state;

        File(FileState state) {
            this.state = state;
        }
    }

    private final StorageClient client;
    private final Random random;
    private final TreeMap<String, File> files = new TreeMap<>();
    private int names;

    /** Makes two directories in an empty export. */
    public Steps(StorageClient client, long seed) throws IOException, InterruptedException {
        this.client = client;
        this.random = new Random(seed);
        for (var directory : DIRECTORIES) {
            makeDirectory(directory);
        }
    }

    /** Returns the file tree that the replies so far promise. */
    public FileTree expected() {
        var states = new TreeMap<String, FileState>();
        files.forEach((path, file) -> states.put(path, file.state));
        return new FileTree(states);
    }

    /**
     * Makes the regular file that many changes need, if there is none. Otherwise the next change
     * makes it.
     */
    public void prepare() throws IOException, InterruptedException {
        regular();
    }

    /**
     * Makes one change, and first the other changes that it needs.
     *
     * @throws IOException if the server refuses a change
     */
    public void make(Kind kind) throws IOException, InterruptedException {
        switch (kind) {
            case CREATE_UNCHECKED ->
                    create(newPath(), new CreateMode.Unchecked(SetAttributes.ofMode(0640)), 0640);
            case CREATE_GUARDED ->
                    create(newPath(), new CreateMode.Guarded(SetAttributes.ofMode(0644)), 0644);
            case CREATE_EXCLUSIVE ->
                    create(newPath(), new CreateMode.Exclusive(random.nextLong()), 0);
            case MKDIR -> makeDirectory(newPath());
            case SYMLINK -> makeLink();
            case MKNOD_FIFO -> makeNode(FileType.FIFO, 0);
            case MKNOD_DEVICE ->
                    makeNode(
                            FileType.CHARACTER_DEVICE,
                            7L << Integer.SIZE | random.nextInt(DEVICE_MINORS));
            case LINK -> link();
            case RENAME, RENAME_ACROSS, RENAME_OVER, RENAME_DIRECTORY -> rename(kind);
            case REMOVE -> remove();
            case RMDIR -> removeDirectory();
            case SETATTR_MODE, SETATTR_OWNER, SETATTR_SIZE, SETATTR_TIMES -> setAttributes(kind);
            case WRITE_DATA_SYNC -> write(Stability.DATA_SYNC);
            case WRITE_FILE_SYNC -> write(Stability.FILE_SYNC);
            case WRITE_COMMIT -> write(Stability.UNSTABLE);
        }
    }

    private String newPath() {
        return DIRECTORIES.get(random.nextInt(DIRECTORIES.size())) + "/n" + names++;
    }

    private DirOpArgs place(String path) throws IOException, InterruptedException {
        int slash = path.lastIndexOf('/');
        var directory = client.root();
        if (slash >= 0) {
            directory = handle(path.substring(0, slash));
        }
        return new DirOpArgs(directory, path.substring(slash + 1));
    }

    private FileHandle handle(String path) throws IOException, InterruptedException {
        var handle = client.root();
        for (var name : path.split("/")) {
            handle = client.lookup(handle, name);
        }
        return handle;
    }

    private void add(String path, FileType type, int mode, byte[] content, long device) {
        int links = type == FileType.DIRECTORY ? 0 : 1;
        files.put(
                path,
                new File(
                        new FileState(
                                type, mode, 0, 0, links, content, device, OptionalLong.empty())));
    }

    private String create(String path, CreateMode how, int mode)
            throws IOException, InterruptedException {
        client.call(new Nfs3Call.Create(place(path), how));
        add(path, FileType.REGULAR, mode, new byte[0], 0);
        return path;
    }

    private String makeDirectory(String path) throws IOException, InterruptedException {
        client.call(new Nfs3Call.MakeDirectory(place(path), SetAttributes.ofMode(0755)));
        add(path, FileType.DIRECTORY, 0755, new byte[0], 0);
        return path;
    }

    private void makeLink() throws IOException, InterruptedException {
        var path = newPath();
        // ext4 keeps a short text in the inode and a long one in a block.
        var text = "t".repeat(1 + random.nextInt(200));
        client.call(
                new Nfs3Call.MakeSymbolicLink(place(path), SetAttributes.NONE, PathName.of(text)));
        add(path, FileType.SYMBOLIC_LINK, 0777, text.getBytes(StandardCharsets.UTF_8), 0);
    }

    private void makeNode(FileType type, long device) throws IOException, InterruptedException {
        var path = newPath();
        client.call(new Nfs3Call.MakeNode(place(path), type, SetAttributes.ofMode(0600), device));
        add(path, type, 0600, new byte[0], device);
    }

    /** Returns the path of a regular file; makes one if there is none. */
    private String regular() throws IOException, InterruptedException {
        var all =
                files.entrySet().stream()
                        .filter(each -> each.getValue().state.type() == FileType.REGULAR)
                        .map(Map.Entry::getKey)
                        .toList();
        return all.isEmpty()
                ? create(newPath(), new CreateMode.Guarded(SetAttributes.ofMode(0644)), 0644)
                : all.get(random.nextInt(all.size()));
    }

    private void link() throws IOException, InterruptedException {
        var from = regular();
        var to = newPath();
        client.call(new Nfs3Call.Link(handle(from), place(to)));
        var file = files.get(from);
        file.state = file.state.withLinks(file.state.links() + 1);
        files.put(to, file);
    }

    private void rename(Kind kind) throws IOException, InterruptedException {
        var from = kind == Kind.RENAME_DIRECTORY ? makeDirectory(newPath()) : regular();
        int slash = from.indexOf('/');
        var directory = from.substring(0, slash);
        var other = DIRECTORIES.get(directory.equals(DIRECTORIES.getFirst()) ? 1 : 0);
        boolean crosses = kind == Kind.RENAME_ACROSS || kind == Kind.RENAME_DIRECTORY;
        var to = (crosses ? other : directory) + "/n" + names++;
        if (kind == Kind.RENAME_OVER) {
            create(to, new CreateMode.Guarded(SetAttributes.ofMode(0600)), 0600);
        }
        client.call(new Nfs3Call.Rename(place(from), place(to)));
        files.put(to, files.remove(from));
    }

    private void remove() throws IOException, InterruptedException {
        var path = regular();
        client.call(new Nfs3Call.Remove(place(path)));
        var file = files.remove(path);
        file.state = file.state.withLinks(file.state.links() - 1);
    }

    private void removeDirectory() throws IOException, InterruptedException {
        var path = makeDirectory(newPath());
        client.call(new Nfs3Call.RemoveDirectory(place(path)));
        files.remove(path);
    }

    private void setAttributes(Kind kind) throws IOException, InterruptedException {
        var path = regular();
        var file = files.get(path);
        var none = SetAttributes.NONE;
        int number = 1 + random.nextInt(CONTENT_MAX);
        int mode = random.nextInt(01000);
        var modified = new TimeChange.To(new Timestamp(number, 0));
        var changes =
                switch (kind) {
                    case SETATTR_MODE -> SetAttributes.ofMode(mode);
                    case SETATTR_SIZE -> SetAttributes.ofSize(number);
                    case SETATTR_OWNER ->
                            none.withOwner(OptionalInt.of(number), OptionalInt.of(number + 1));
                    default -> none.withTimes(none.accessed(), modified);
                };
        client.call(new Nfs3Call.ChangeAttributes(handle(path), changes, Optional.empty()));
        file.state =
                switch (kind) {
                    case SETATTR_MODE -> file.state.withMode(mode);
                    case SETATTR_SIZE ->
                            file.state.withContent(Arrays.copyOf(file.state.content(), number));
                    case SETATTR_OWNER -> file.state.withOwner(number, number + 1);
                    default -> file.state.withModified(number);
                };
    }

    private void write(Stability stability) throws IOException, InterruptedException {
        var path = regular();
        var file = files.get(path);
        var written = new byte[1 + random.nextInt(CONTENT_MAX)];
        random.nextBytes(written);
        var handle = handle(path);
        var verifiers = client.write(handle, written, stability);
        if (stability == Stability.UNSTABLE
                && !StorageClient.isCommitted(verifiers, client.commit(handle))) {
            throw new IOException("COMMIT failed, or has another verifier");
        }
        var content =
                Arrays.copyOf(
                        file.state.content(),
                        Math.max(written.length, file.state.content().length));
        System.arraycopy(written, 0, content, 0, written.length);
        file.state = file.state.withContent(content);
    }
}
