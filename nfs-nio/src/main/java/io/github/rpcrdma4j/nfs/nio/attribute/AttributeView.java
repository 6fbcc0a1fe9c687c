package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The attributes of a file of a server, to read and to change. Each method makes calls.
 * Thread-safe.
 *
 * @param name of the view: basic, owner or posix
 */
public record AttributeView(String name, ViewedFile file) implements PosixFileAttributeView {
    @Override
    public ServerFileAttributes readAttributes() throws IOException {
        return file.use((_, found, _) -> new ServerFileAttributes(found.attributes()));
    }

    private void change(AttributeChanges changes) throws IOException {
        file.use(
                (service, found, what) -> {
                    service.change(found.handle(), changes, what);
                    return null;
                });
    }

    /** The time of creation stays: no version of NFS lets all servers change it. */
    @Override
    public void setTimes(FileTime modified, FileTime accessed, FileTime created)
            throws IOException {
        if (modified != null || accessed != null) {
            file.use(
                    (service, found, what) -> {
                        service.change(
                                found.handle(),
                                AttributeChanges.NONE.withTimes(
                                        change(accessed, service::nearest),
                                        change(modified, service::nearest)),
                                what);
                        return null;
                    });
        }
    }

    private static TimeChange change(FileTime time, UnaryOperator<Instant> nearest) {
        return time == null
                ? new TimeChange.Keep()
                : new TimeChange.To(nearest.apply(time.toInstant()));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        setMode(ModeBits.of(permissions));
    }

    void setMode(int mode) throws IOException {
        change(AttributeChanges.ofMode(mode));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        setOwner(OptionalInt.of(Principals.number(owner)), OptionalInt.empty());
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        setOwner(OptionalInt.empty(), OptionalInt.of(Principals.group(group)));
    }

    void setOwner(OptionalInt user, OptionalInt group) throws IOException {
        change(AttributeChanges.NONE.withOwner(user, group));
    }
}
