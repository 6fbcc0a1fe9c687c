package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Goal: the tests use every worked example. Method: their lists against the resource files. */
class WorkedExamplesTest {
    private static final int EXAMPLES = 53;

    /** The arguments of a call that {@link ExamplesAtRequesterTest} makes. */
    private static final String ARGUMENTS = "EX-36";

    /** The private data that both ends receive in {@link GoldenPrivateDataTest}. */
    private static final List<String> PRIVATE_DATA =
            List.of("EX-31", "EX-32", "EX-33", "EX-34", "EX-35");

    /** The calls that {@link GoldenReverseTest} sends in the reverse direction, too. */
    private static final List<String> REVERSE = List.of("EX-25", "EX-27");

    private static TreeSet<String> book() throws Exception {
        var resources = WorkedExamplesTest.class.getResource("/golden/EX-01.hex").toURI();
        try (var files = Files.list(Path.of(resources).getParent())) {
            var book =
                    files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString().replace(".hex", ""))
                            .collect(Collectors.toCollection(TreeSet::new));
            book.add(ARGUMENTS);
            return book;
        }
    }

    @Test
    void everyExampleIsInTheBook() throws Exception {
        assertEquals(EXAMPLES, book().size());
    }

    @Test
    void everyMessageComesToAServer() throws Exception {
        var seen = new TreeSet<>(ExamplesAtResponderTest.UNANSWERED);
        ExamplesAtResponderTest.REFUSED.values().forEach(seen::addAll);
        ExamplesAtResponderTest.carriedOut().forEach(row -> seen.add(row.example()));
        seen.addAll(REVERSE);
        assertEquals(messages(), seen);
    }

    @Test
    void everyMessageComesToAClientOrIsItsAnswer() throws Exception {
        var seen = new TreeSet<String>();
        ExamplesAtRequesterTest.answers().forEach(row -> seen.add(row.toString()));
        ExamplesAtRequesterTest.discards().forEach(row -> seen.add(row.toString()));
        assertEquals(messages(), seen);
    }

    @Test
    void everyCallIsSentOrThereIsAReason() throws Exception {
        var seen = new TreeSet<>(ExamplesAtRequesterTest.NEVER_ASKED.keySet());
        ExamplesAtRequesterTest.calls().forEach(call -> seen.add(call.toString()));
        ExamplesAtRequesterTest.answers().forEach(row -> seen.add(row.asked().toString()));
        seen.addAll(REVERSE);
        var calls = messages();
        calls.removeIf(
                name ->
                        name.startsWith("BAD")
                                || ExamplesAtResponderTest.UNANSWERED.contains(name)
                                || name.equals("EX-16"));
        assertEquals(calls, seen);
    }

    private static TreeSet<String> messages() throws Exception {
        var messages = book();
        PRIVATE_DATA.forEach(messages::remove);
        messages.remove(ARGUMENTS);
        return messages;
    }
}
