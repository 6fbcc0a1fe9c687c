package io.github.rpcrdma4j.rdmacore;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes without Maven, as in a guest. Prints a line for each test, and exits with 1 if
 * one failed or none ran.
 *
 * <p>Arguments: names of classes, or of methods as {@code class#method}.
 */
final class ContractRun implements TestExecutionListener {
    private final PrintStream out = System.out;
    private int passed;
    private int failed;
    private long start;

    private ContractRun() {}

    public static void main(String[] names) {
        var request = LauncherDiscoveryRequestBuilder.request();
        for (var name : names) {
            request.selectors(name.contains("#") ? selectMethod(name) : selectClass(name));
        }
        var run = new ContractRun();
        LauncherFactory.create().execute(request.build(), run);
        run.out.println("passed " + run.passed + " failed " + run.failed);
        System.exit(run.failed > 0 || run.passed == 0 ? 1 : 0);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        start = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (!test.isTest() && result.getThrowable().isEmpty()) {
            return;
        }
        boolean isGood = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        passed += isGood ? 1 : 0;
        failed += isGood ? 0 : 1;
        out.println(
                (isGood ? "PASS " : "FAIL ")
                        + test.getDisplayName()
                        + " "
                        + (System.nanoTime() - start) / 1_000_000
                        + " ms");
        result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(out));
    }
}
