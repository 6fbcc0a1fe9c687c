package io.github.rpcrdma4j.interop.storage;

import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * What counts of a file.
 *
 * @param links hard links; 0 for directories, whose links are those below
 * @param content of a regular file, or the text of a symbolic link; empty for others
 * @param device major in the upper, minor in the lower half, for devices; 0 for others
 * @param modified seconds, if they were set or are known
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
    /** Whether a file that was found is this one. */
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

    /** With another content; when it was modified is not known then. */
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
