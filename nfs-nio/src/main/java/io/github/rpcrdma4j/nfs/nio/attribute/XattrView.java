package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.service.XattrRule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;

/** The extended attributes of a file of a server. Each method makes calls. Thread-safe. */
public record XattrView(ViewedFile file) implements UserDefinedFileAttributeView {
    /** The name of the view. */
    public static final String NAME = "user";

    @Override
    public String name() {
        return NAME;
    }

    private static FileName named(String name) {
        return new FileName(RawText.bytes(name));
    }

    @Override
    public List<String> list() throws IOException {
        return file.use(
                (service, found, what) -> {
                    var names = new ArrayList<String>();
                    for (var each : service.xattrs().names(found.handle(), what)) {
                        names.add(RawText.of(each.bytes()));
                    }
                    return names;
                });
    }

    byte[] value(String name) throws IOException {
        return file.use(
                (service, found, what) ->
                        service.xattrs().value(found.handle(), named(name), what));
    }

    @Override
    public int size(String name) throws IOException {
        return value(name).length;
    }

    @Override
    public int read(String name, ByteBuffer target) throws IOException {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
        var value = value(name);
        if (value.length > target.remaining()) {
            throw new IOException(
                    "the extended attribute has "
                            + value.length
                            + " bytes, the buffer "
                            + target.remaining());
        }
        target.put(value);
        return value.length;
    }

    @Override
    public int write(String name, ByteBuffer source) throws IOException {
        var value = new byte[source.remaining()];
        source.get(source.position(), value);
        file.use(
                (service, found, what) -> {
                    service.xattrs()
                            .set(found.handle(), named(name), value, XattrRule.EITHER, what);
                    return null;
                });
        source.position(source.limit());
        return value.length;
    }

    @Override
    public void delete(String name) throws IOException {
        file.use(
                (service, found, what) -> {
                    service.xattrs().remove(found.handle(), named(name), what);
                    return null;
                });
    }
}
