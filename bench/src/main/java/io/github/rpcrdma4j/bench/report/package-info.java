/** The reports of a run: medians, a table, JSON, a chart, and a comparison with the goals. */
package io.github.rpcrdma4j.bench.report;
