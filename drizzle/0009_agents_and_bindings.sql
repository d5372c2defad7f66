CREATE TABLE "network_dhcp_agents" (
	"network_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"place" smallint NOT NULL,
	CONSTRAINT "network_dhcp_agents_network_id_agent_id_pk" PRIMARY KEY("network_id","agent_id"),
	CONSTRAINT "network_dhcp_agents_place" UNIQUE("network_id","place")
);
--> statement-breakpoint
CREATE TABLE "port_binding_failures" (
	"port_id" uuid NOT NULL,
	"host" varchar(255) NOT NULL,
	"place" smallint NOT NULL,
	"driver" varchar(64) NOT NULL,
	"segment_id" uuid,
	"reason" text NOT NULL,
	"failed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "port_binding_failures_port_id_host_place_pk" PRIMARY KEY("port_id","host","place")
);
--> statement-breakpoint
CREATE TABLE "port_binding_levels" (
	"port_id" uuid NOT NULL,
	"host" varchar(255) NOT NULL,
	"level" smallint NOT NULL,
	"driver" varchar(64) NOT NULL,
	"segment_id" uuid NOT NULL,
	CONSTRAINT "port_binding_levels_port_id_host_level_pk" PRIMARY KEY("port_id","host","level")
);
--> statement-breakpoint
CREATE TABLE "port_provisioning_blocks" (
	"port_id" uuid NOT NULL,
	"entity" varchar(32) NOT NULL,
	CONSTRAINT "port_provisioning_blocks_port_id_entity_pk" PRIMARY KEY("port_id","entity")
);
--> statement-breakpoint
CREATE TABLE "dvr_host_macs" (
	"host" varchar(255) PRIMARY KEY NOT NULL,
	"mac_address" "macaddr" NOT NULL,
	CONSTRAINT "dvr_host_macs_once" UNIQUE("mac_address")
);
--> statement-breakpoint
CREATE TABLE "tunnel_endpoints" (
	"network_type" varchar(32) NOT NULL,
	"ip_address" varchar(64) NOT NULL,
	"host" varchar(255) NOT NULL,
	"udp_port" integer,
	CONSTRAINT "tunnel_endpoints_network_type_ip_address_pk" PRIMARY KEY("network_type","ip_address"),
	CONSTRAINT "tunnel_endpoints_one_of_host" UNIQUE("network_type","host")
);
--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "recipients" json;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "reads" json;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "object_id" varchar(255);--> statement-breakpoint
ALTER TABLE "network_dhcp_agents" ADD CONSTRAINT "network_dhcp_agents_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "network_dhcp_agents" ADD CONSTRAINT "network_dhcp_agents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_binding_failures" ADD CONSTRAINT "port_binding_failures_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_binding_levels" ADD CONSTRAINT "port_binding_levels_segment_id_network_segments_id_fk" FOREIGN KEY ("segment_id") REFERENCES "public"."network_segments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_binding_levels" ADD CONSTRAINT "port_binding_levels_binding" FOREIGN KEY ("port_id","host") REFERENCES "public"."port_bindings"("port_id","host") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "port_provisioning_blocks" ADD CONSTRAINT "port_provisioning_blocks_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "network_dhcp_agents_agent_id_index" ON "network_dhcp_agents" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "port_binding_levels_segment_id_index" ON "port_binding_levels" USING btree ("segment_id");