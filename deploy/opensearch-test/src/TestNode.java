import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * One node of OpenSearch for tests: no installation, no password, HTTP on a loopback address only.
 *
 * <p>Arguments: folder of the data, name, HTTP port, port between nodes, then the names and addresses of all nodes of
 * the cluster ("one=127.0.0.1:9301"), this one included; none = a cluster of this node alone. Properties of Java that
 * begin with "set." are further settings: -Dset.network.host=10.0.0.1 for the other nodes. "-Dplugin=CLASS" is one more
 * plugin. The file opensearch.yml in the folder "config" of the data is read too, where there is one.
 */
public final class TestNode {
  private static final class Embedded extends Node {
    Embedded(Settings settings, String name) {
      super(
          InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> name),
          plugins(),
          false);
    }
  }

  private static List<Class<? extends Plugin>> plugins() {
    List<Class<? extends Plugin>> plugins = new ArrayList<>(List.of(Netty4Plugin.class, CommonAnalysisPlugin.class));
    String more = System.getProperty("plugin", "");
    if (!more.isEmpty()) {
      try {
        plugins.add(Class.forName(more).asSubclass(Plugin.class));
      } catch (ClassNotFoundException problem) {
        throw new IllegalArgumentException(problem);
      }
    }
    return plugins;
  }

  public static void main(String[] arguments) throws Exception {
    String name = arguments[1];
    List<String[]> nodes = List.of(arguments).stream().skip(4).map(node -> node.split("=", 2)).toList();
    Settings.Builder settings =
        Settings.builder()
            .put("path.home", Path.of(arguments[0], name))
            .put("cluster.name", "aggregator-test")
            .put("node.name", name)
            .put("network.host", "127.0.0.1")
            .put("http.host", "127.0.0.1")
            .put("http.port", arguments[2])
            .put("transport.port", arguments[3])
            .put("action.auto_create_index", false);
    if (nodes.isEmpty()) {
      settings.put("discovery.type", "single-node");
    } else {
      settings.putList("discovery.seed_hosts", nodes.stream().map(node -> node[1]).toList());
      settings.putList("cluster.initial_cluster_manager_nodes", nodes.stream().map(node -> node[0]).toList());
    }
    for (String property : System.getProperties().stringPropertyNames()) {
      if (property.startsWith("set.")) {
        settings.put(property.substring(4), System.getProperty(property));
      }
    }
    Node node = new Embedded(settings.build(), name);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
    node.start();
    System.out.println("started");
    new CountDownLatch(1).await();
  }

  private static void close(Node node) {
    try {
      node.close();
    } catch (Exception problem) {
      problem.printStackTrace();
    }
  }
}
