import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests for dev/try: classes, or methods as CLASS#METHOD. Prints what fails, and a total. */
final class RunTests implements TestExecutionListener {
    /** Tests replace System.out. */
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private int passed;
    private int failed;
    private int skipped;

    public static void main(String[] names) {
        var listener = new RunTests();
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(Arrays.stream(names).flatMap(RunTests::selectors).toList())
                        .build();
        LauncherFactory.create().execute(request, listener);
        System.exit(listener.end());
    }

    /** Parameters of a method are not named, so all of its name are meant. */
    private static Stream<DiscoverySelector> selectors(String name) {
        var parts = name.split("#", 2);
        if (parts.length == 1) {
            return Stream.of(selectClass(name));
        }
        try {
            var type = Class.forName(parts[0]);
            var own = Stream.of(type.getDeclaredMethods());
            return Stream.concat(own, Stream.of(type.getMethods()))
                    .distinct()
                    .filter(each -> each.getName().equals(parts[1]))
                    .map(each -> selectMethod(type, each));
        } catch (ClassNotFoundException missing) {
            throw new IllegalArgumentException(name, missing);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skipped++;
        out.println("skipped " + test.getDisplayName() + ": " + reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == Status.SUCCESSFUL) {
            passed += test.isTest() ? 1 : 0;
            return;
        }
        var reason = result.getThrowable().map(Throwable::toString).orElse("");
        if (result.getStatus() == Status.ABORTED) {
            skipped++;
            out.println("skipped " + test.getDisplayName() + ": " + reason);
            return;
        }
        failed++;
        out.println("FAILED " + test.getUniqueId());
        result.getThrowable().ifPresent(each -> each.printStackTrace(out));
    }

    private int end() {
        out.printf("%d passed, %d failed, %d skipped%n", passed, failed, skipped);
        return failed == 0 && passed > 0 ? 0 : 1;
    }
}
