package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes the results of a call in words, without values that differ from run to run. */
final class ResultWords {
    private ResultWords() {}

    /**
     * Returns words for the results of any procedure; the text is empty if they do not depend on
     * access rights.
     */
    static String of(Object value) {
        return switch (value) {
            case Integer access -> "access=%02x".formatted(access);
            case FileAttributes attributes -> of(attributes);
            case Nfs3Results.Found found -> of(found.attributes());
            case Nfs3Results.Created created ->
                    (created.handle().isPresent() ? "" : "no handle ") + of(created.attributes());
            case Nfs3Results.LinkText link -> "->" + link.path();
            case Nfs3Results.ReadData read ->
                    read.data().byteSize() + " bytes" + (read.endOfFile() ? " to the end" : "");
            case Nfs3Results.Written written ->
                    written.count() + " bytes " + written.committed().name();
            case DirectoryPage page -> of(page);
            default -> "";
        };
    }

    private static String of(Optional<FileAttributes> attributes) {
        return attributes.map(ResultWords::of).orElse("no attributes");
    }

    private static String of(FileAttributes attributes) {
        var words =
                "%s %s:%s %04o"
                        .formatted(
                                attributes.type(),
                                Integer.toUnsignedString(attributes.uid()),
                                Integer.toUnsignedString(attributes.gid()),
                                attributes.mode());
        return switch (attributes.type()) {
            case REGULAR, SYMBOLIC_LINK -> words + " size=" + attributes.size();
            case BLOCK_DEVICE, CHARACTER_DEVICE ->
                    words
                            + " device=%x:%x"
                                    .formatted(
                                            attributes.device() >>> 32, (int) attributes.device());
            case DIRECTORY, SOCKET, FIFO -> words;
        };
    }

    private static String of(DirectoryPage page) {
        return page.entries().stream()
                        .sorted(Comparator.comparing(entry -> entry.name().toString()))
                        .map(
                                entry ->
                                        entry.name()
                                                + entry.attributes()
                                                        .map(FileAttributes::type)
                                                        .map(FileType::name)
                                                        .map("="::concat)
                                                        .orElse("")
                                                + (entry.handle().isPresent() ? "+handle" : ""))
                        .collect(Collectors.joining(" "))
                + (page.endOfList() ? "" : " and more");
    }
}
