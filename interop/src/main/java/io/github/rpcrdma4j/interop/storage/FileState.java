package io.github.rpcrdma4j.interop.storage;

import io.github.rpcrdma4j.nfs.FileType;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * The state of a file that has to survive on storage.
 *
 * @param links the number of hard links; 0 for directories
 * @param content the bytes of a regular file, or the text of a symbolic link; empty for others
 * @param device the major number of a device in the upper half, the minor number in the lower half;
 *     0 for other files
 * @param modified the modification time, in seconds since 1970; empty if unknown
 */
public record FileState(
        FileType type,
        int mode,
        int uid,
        int gid,
        int links,
        byte[] content,
        long device,
        OptionalLong modified) {
    /** Returns whether a found file has this state. An unknown modification time matches any. */
    boolean matches(FileState found) {
        return type == found.type
                && mode == found.mode
                && uid == found.uid
                && gid == found.gid
                && links == found.links
                && Arrays.equals(content, found.content)
                && device == found.device
                && (modified.isEmpty() || modified.equals(found.modified));
    }

    FileState withMode(int changed) {
        return new FileState(type, changed, uid, gid, links, content, device, modified);
    }

    FileState withOwner(int newUid, int newGid) {
        return new FileState(type, mode, newUid, newGid, links, content, device, modified);
    }

    FileState withLinks(int changed) {
        return new FileState(type, mode, uid, gid, changed, content, device, modified);
    }

    /** Returns this state with another content and an unknown modification time. */
    FileState withContent(byte[] changed) {
        return new FileState(type, mode, uid, gid, links, changed, device, OptionalLong.empty());
    }

    FileState withModified(long seconds) {
        return new FileState(
                type, mode, uid, gid, links, content, device, OptionalLong.of(seconds));
    }

    @Override
    public String toString() {
        var sum = new CRC32();
        sum.update(content);
        return "%s %04o %d:%d %d links, %d bytes %08x, device %x, modified %s"
                .formatted(
                        type,
                        mode,
                        uid,
                        gid,
                        links,
                        content.length,
                        sum.getValue(),
                        device,
                        modified.isEmpty() ? "?" : "" + modified.getAsLong());
    }
}
