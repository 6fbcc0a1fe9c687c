package io.github.rpcrdma4j.nfs.v2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class Nfs2BindingTest {
    /**
     * RFC 8267, Section 4: the data of WRITE and the path of SYMLINK; the data of READ and the path
     * of READLINK.
     */
    @Test
    void marksTheEligibleItemsOfRfc8267() {
        assertEquals(
                "5:0/1 6:0/1 8:1/0 13:1/0",
                IntStream.range(-1, 20)
                        .mapToObj(
                                procedure -> {
                                    var row = Nfs2Binding.BINDING.eligibility(procedure);
                                    return procedure + ":" + row.arguments() + "/" + row.results();
                                })
                        .filter(row -> !row.endsWith(":0/0"))
                        .collect(Collectors.joining(" ")));
        assertEquals(100003, Nfs2Binding.BINDING.program());
        assertEquals(2, Nfs2Binding.BINDING.version());
    }
}
