DROP INDEX "ip_allocations_port_id_index";--> statement-breakpoint
DROP INDEX "ports_project_id_index";--> statement-breakpoint
CREATE INDEX "ip_allocations_port_id_position_subnet_id_index" ON "ip_allocations" USING btree ("port_id","position","subnet_id");--> statement-breakpoint
CREATE INDEX "ports_project_id_id_index" ON "ports" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "ports_network_id_id_index" ON "ports" USING btree ("network_id","id");--> statement-breakpoint
CREATE INDEX "ports_name_id_index" ON "ports" USING btree ("name","id");