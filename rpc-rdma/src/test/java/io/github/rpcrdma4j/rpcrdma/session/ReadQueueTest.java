package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReadQueueTest {
    private static final int BYTES = 64;

    private final ManualConnection manual = new ManualConnection(1024);
    private final ReadQueue queue = new ReadQueue(manual.endpoint);
    private final List<String> ended = new ArrayList<>();

    private void read(String name, int reads) {
        var sink = Sge.of(manual.domain.register(Arena.ofAuto().allocate(BYTES)));
        var source = manual.offer(BYTES, Access.REMOTE_READ);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < reads; i++) {
            requests.add(new WorkRequest.Read(0, sink, source.handle(), source.address()));
        }
        queue.post(requests, succeeded -> ended.add(name + " " + succeeded));
    }

    private int posts() {
        return manual.receivesAtPosts.size();
    }

    @Test
    @Tag("5666-6.2-6")
    void hasNoMoreReadsActiveThanThePeerNamed() throws Exception {
        manual.connect(manual.endpoint::completed);
        read("free", 5);
        assertEquals(1, posts());
        manual.world.settle();
        queue.limit(2);
        read("first", 5);
        read("second", 1);
        // Two of the five reads are posted; the others wait for their completions.
        assertEquals(2, posts());
        manual.world.settle();
        assertEquals(List.of("free true", "first true", "second true"), ended);
        assertEquals(5, posts());
    }

    @Test
    void endsAllThatWaitsWithTheConnection() throws Exception {
        manual.connect(manual.endpoint::completed);
        queue.limit(1);
        read("first", 2);
        read("second", 1);
        manual.endpoint.close("the test says so");
        read("third", 1);
        assertEquals(List.of("first false", "second false", "third false"), ended);
    }
}
