package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Why librdmacm opened no device, which it does not tell itself.
 *
 * @param devices the directory with an entry for each device that the kernel has
 * @param files the directory of the files through which programs use them
 */
record Absence(Path devices, Path files) {
    static final Absence OF_THIS_MACHINE =
            new Absence(Path.of("/sys/class/infiniband"), Path.of("/dev/infiniband"));

    /**
     * Returns the reason and the remedy, in one line.
     *
     * @param errno the error number of librdmacm, or 0 if it told none
     */
    String reason(int errno) {
        var found = names(devices);
        if (found.isEmpty()) {
            return "there is no RDMA adapter: load the driver of a card, or add a soft one (rdma"
                    + " link add rxe0 type rxe netdev eth0)";
        }
        var adapters = String.join(", ", found) + " cannot be opened: ";
        var uverbs = names(files).stream().filter(name -> name.startsWith("uverbs")).toList();
        if (uverbs.isEmpty() || Files.notExists(files.resolve("rdma_cm"))) {
            return adapters
                    + "their files are not in "
                    + files
                    + " (modprobe -a ib_uverbs rdma_ucm; in a container, pass "
                    + files
                    + ")";
        }
        for (var name : Stream.concat(Stream.of("rdma_cm"), uverbs.stream()).toList()) {
            var file = files.resolve(name);
            if (!Files.isReadable(file) || !Files.isWritable(file)) {
                return adapters + "this user may not use " + file + " (see its group and mode)";
            }
        }
        return adapters
                + (errno == 0 || errno == Errno.ENODEV
                        ? "the library of the adapter is missing (Debian: apt install"
                                + " ibverbs-providers)"
                        : Errno.text(errno));
    }

    private static List<String> names(Path directory) {
        try (var entries = Files.list(directory)) {
            return entries.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException _) {
            return List.of();
        }
    }
}
